#include "network_map_parts.hpp"

namespace fugu::report::detail {

// Voltages go from brown and orange (low) to blue (high), which all kinds of colour blindness tell apart; further from
// nominal is darker on white and brighter on black. Loadings get darker (brighter) and wider.
std::string_view network_map_style() {
  return R"css(
:root{--v0:#8c2d04;--v1:#e0701c;--v2:#fdbb7d;--v3:#dfe3e8;--v4:#a6cbe8;--v5:#3182bd;--v6:#08306b;
--l-none:#8a949f;--l0:#b4bcc5;--l1:#a884c4;--l2:#7b3fa0;--l3:#3f0060;--grey:#c3c9d0}
@media screen and (prefers-color-scheme:dark){:root{--v0:#ffe0c2;--v1:#f5953f;--v2:#9c6339;--v3:#59636f;--v4:#356489;
--v5:#4aa3f0;--v6:#cfe8ff;--l-none:#6d7782;--l0:#4d5763;--l1:#7d5f9c;--l2:#b583e0;--l3:#ecd2ff;--grey:#3d444d}}
body{max-width:110rem;padding-top:1.5rem}
h1{font-size:1.6rem}
.subtitle{margin-bottom:1rem}
.note{max-width:none;padding:.4rem .8rem}
.controls{position:sticky;top:0;z-index:2;background:var(--background);padding:.5rem 0 .2rem;
border-bottom:1px solid var(--border)}
.buttons{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center}
button{font:inherit;color:var(--ink);background:var(--surface);border:1px solid var(--border);border-radius:6px;
padding:.25rem .7rem;min-width:2.6rem;min-height:2.4rem;cursor:pointer}
button:hover{border-color:var(--accent)}
button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
button:disabled{color:var(--muted);cursor:default;opacity:.6}
#time{font-weight:600;font-variant-numeric:tabular-nums;margin-left:.4rem}
#slider{width:100%;margin:.5rem 0 .2rem;accent-color:var(--accent)}
figure.strip{margin:0;max-width:none}
figure.strip svg{height:136px;cursor:pointer;touch-action:pan-y;font-size:11px;font-variant-numeric:tabular-nums}
figure.strip figcaption{margin:0 0 .2rem;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;font-size:.85rem}
figure.strip figcaption svg{display:inline-block;width:28px;height:10px;vertical-align:middle;margin-right:.35rem}
#strip text{fill:var(--muted)}
.curve{fill:none;stroke-width:1.2;stroke-linejoin:round}
.curve.series-1{stroke-width:2.4}
.curve.series-2{stroke-width:3.8}
.curve.series-3{stroke-width:5.4}
.limit{stroke:var(--bad);stroke-width:1;stroke-dasharray:3 3}
.cursor{stroke:var(--accent);stroke-width:2}
.views{display:grid;gap:1rem 1.5rem;margin-top:.8rem;grid-template-columns:repeat(auto-fit,
minmax(max(min(100%,24rem),(100% - (var(--columns) - 1)*1.5rem)/var(--columns) - 1px),1fr))}
.view{container-type:inline-size;min-width:0}
.view h2{margin:0 0 .2rem;padding:0;border:0;font-size:1.15rem;overflow-wrap:anywhere}
.facts{display:grid;grid-template-columns:auto 1fr;gap:0 .8rem;margin:0 0 .3rem;font-size:.92rem;
font-variant-numeric:tabular-nums}
.facts dt{color:var(--muted);white-space:nowrap}
.facts dd{margin:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.facts dd.bad{color:var(--bad);font-weight:600}
.network{display:block;width:100%;max-height:78vh;touch-action:pan-y;border:1px solid var(--border);border-radius:8px}
.lines line{stroke:var(--l-none);stroke-width:calc(2.4px*var(--scale));stroke-linecap:round}
.lines line.l0{stroke:var(--l0)}
.lines line.l1{stroke:var(--l1);stroke-width:calc(4.2px*var(--scale))}
.lines line.l2{stroke:var(--l2);stroke-width:calc(6.2px*var(--scale))}
.lines line.l3{stroke:var(--l3);stroke-width:calc(8.5px*var(--scale))}
.lines line.open{stroke-dasharray:5 5}
.lines line.unsolved{stroke:var(--grey)}
.busbar{fill:var(--ink)}
.nodes circle{fill:var(--background);stroke:var(--ink);stroke-width:calc(1.4px*var(--scale)*var(--scale))}
.nodes .v0{fill:var(--v0)}.nodes .v1{fill:var(--v1)}.nodes .v2{fill:var(--v2)}.nodes .v3{fill:var(--v3)}
.nodes .v4{fill:var(--v4)}.nodes .v5{fill:var(--v5)}.nodes .v6{fill:var(--v6)}
.nodes .unsolved{fill:var(--grey);stroke:var(--muted)}
.names text{display:none;fill:var(--muted);font-size:10px;stroke:var(--background);stroke-width:3;paint-order:stroke;
pointer-events:none}
@container (min-width:34rem){.names text{display:block}}
.marks *,.halos *{fill:none;stroke:var(--ink);pointer-events:none}
.halos *{stroke-width:calc(16px*var(--scale));stroke-linecap:round;opacity:.28}
.marks .missed,.halos .missed{stroke:var(--bad)}
.marks .missed{stroke-dasharray:calc(4px*var(--scale)) calc(3px*var(--scale))}
.halos .missed{stroke-dasharray:calc(6px*var(--scale)) calc(14px*var(--scale));opacity:.6}
.marks .invented,.halos .invented{stroke:var(--good)}
.halos .invented{opacity:.5}
.marks .pointed{stroke:var(--accent);stroke-width:calc(3px*var(--scale))}
.scroll table{font-size:.86rem}
.scroll td,.scroll th{padding:.4rem .5rem}
.scroll td{white-space:nowrap}
.scroll td:first-child{min-width:0}
.legend{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:.2rem 2rem;margin:1rem 0;
font-size:.88rem}
.legend h3{margin:.4rem 0 .2rem;font-size:.95rem}
.legend p{margin:.2rem 0}
.entry{display:flex;align-items:center;gap:.5rem;font-variant-numeric:tabular-nums}
.entry svg{width:22px;height:22px;flex:none}
#tip{position:fixed;z-index:3;max-width:min(24rem,92vw);background:var(--background);color:var(--ink);
border:1px solid var(--muted);border-radius:6px;padding:.4rem .6rem;font-size:.85rem;line-height:1.4;pointer-events:none;
white-space:pre-line;overflow-wrap:anywhere;font-variant-numeric:tabular-nums;box-shadow:0 2px 10px rgba(0,0,0,.25)}
@media (max-width:40rem){body{padding:1rem .8rem 3rem}.network{max-height:none}
.buttons{gap:.25rem}button{padding:.2rem .45rem;min-width:2.1rem;font-size:.88rem}
#time{width:100%;margin:0;font-size:.9rem;line-height:1.2}#slider{margin:.2rem 0}
figure.strip svg{height:84px}figure.strip figcaption{font-size:.7rem;line-height:1.3;gap:0 .7rem}
figure.strip figcaption svg{width:20px}.facts{font-size:.84rem}}
@media print{.controls{position:static}.buttons button,#slider{display:none}}
)css";
}

}  // namespace fugu::report::detail

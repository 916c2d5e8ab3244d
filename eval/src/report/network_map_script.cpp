#include "network_map_parts.hpp"

namespace fugu::report::detail {

// Reads network_map_data and the drawing, whose lines and circles stand in the network's order. Names reach the page as
// text only (textContent).
std::string_view network_map_script() {
  return R"js("use strict";
const map = JSON.parse(document.getElementById("map-data").textContent);
const nodeCount = map.nodes.length;
const lineCount = map.lines.length;
const stampCount = map.times.length;
const placeCount = nodeCount + lineCount;  // a place is a node, or nodeCount + a line
const byId = (id) => document.getElementById(id);
const svgElement = (tag, attributes, parent) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
};

// --- States: see encode_states. ---

function decode(view) {
  const bytes = Uint8Array.from(atob(view.states), (letter) => letter.charCodeAt(0));
  const states = {
    name: view.name,
    solved: new Uint8Array(stampCount),
    tenths: new Int32Array(stampCount * placeCount),  // of V above nominal, then of A
    violated: new Uint8Array(stampCount * placeCount),
    violations: new Uint32Array(stampCount),
  };
  let at = 0;
  const integer = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value % 2 ? -(value + 1) / 2 : value / 2;
    }
  };
  for (let stamp = 0; stamp < stampCount; ++stamp) {
    const kind = bytes[at++];
    if (kind === 0) continue;
    states.solved[stamp] = 1;
    const first = stamp * placeCount;
    if (kind === 2) {
      for (let place = 0; place < placeCount; ++place) {
        const bit = (bytes[at + (place >> 3)] >> (place & 7)) & 1;
        states.violated[first + place] = bit;
        states.violations[stamp] += bit;
      }
      at += (placeCount + 7) >> 3;
    }
    for (const node of map.order) {
      const parent = map.parents[node];
      states.tenths[first + node] = integer() + (parent < 0 ? 0 : states.tenths[first + parent]);
    }
    for (const line of map.line_order) {
      const before = map.lines_before[line];
      states.tenths[first + nodeCount + line] = integer() + (before < 0 ? 0 : states.tenths[first + nodeCount + before]);
    }
  }
  return states;
}

const views = stampCount > 0 ? map.views.map(decode) : [];
const isViolated = (view, stamp, place) => view.violated[stamp * placeCount + place] === 1;
const voltage = (view, stamp, node) => map.nominal_v + view.tenths[stamp * placeCount + node] / 10;
const current = (view, stamp, line) => view.tenths[stamp * placeCount + nodeCount + line] / 10;
const loading = (view, stamp, line) => 100 * current(view, stamp, line) / map.lines[line].ampacity_a;

const truth = map.first_is_truth ? views[0] : null;

// What is wrong at a place: 0, 1 for a voltage or loading that is too high, -1 for a voltage that is too low.
function wrong(view, stamp, place) {
  if (!isViolated(view, stamp, place)) return 0;
  return place < nodeCount && view.tenths[stamp * placeCount + place] < 0 ? -1 : 1;
}

// What a view makes of a place, the truth beside it: nothing, "violation", "missed" or "invented"; too low instead of
// too high is both "missed" and "invented".
function verdicts(view, stamp, place) {
  const here = wrong(view, stamp, place);
  const isCompared = truth !== null && view !== truth && truth.solved[stamp] && view.solved[stamp];
  const there = isCompared ? wrong(truth, stamp, place) : here;
  if (here === there) return here === 0 ? [] : ["violation"];
  return [...(there === 0 ? [] : ["missed"]), ...(here === 0 ? [] : ["invented"])];
}

// The lowest and highest voltage and loading of a stamp, each with its place.
function extremes(view, stamp) {
  let low = -1, high = -1, full = -1;
  for (let node = 0; node < nodeCount; ++node) {
    if (node === map.root) continue;
    if (low < 0 || voltage(view, stamp, node) < voltage(view, stamp, low)) low = node;
    if (high < 0 || voltage(view, stamp, node) > voltage(view, stamp, high)) high = node;
  }
  for (let line = 0; line < lineCount; ++line) {
    if (!map.lines[line].ampacity_a) continue;
    if (full < 0 || loading(view, stamp, line) > loading(view, stamp, full)) full = line;
  }
  return {low, high, full};
}

// --- Numbers as text. ---

const decimals = (value, digits) => value.toFixed(digits).replace("-", "\u2212");
const signed = (value) => (value < 0 ? "" : "+") + decimals(value, 1);
const voltText = (volt) =>
  `${decimals(volt, 1)} V (${signed(100 * (volt - map.nominal_v) / map.nominal_v)} %)`;
const lineText = (view, stamp, line) => `${decimals(current(view, stamp, line), 1)} A`
  + (map.lines[line].ampacity_a ? ` (${decimals(loading(view, stamp, line), 1)} %)` : "");

// --- Drawings. ---

const sections = [...document.querySelectorAll(".view")];
const original = sections[0].querySelector("svg.network");
for (const section of sections.slice(1)) section.append(original.cloneNode(true));
const drawings = sections.map((section) => {
  const svg = section.querySelector("svg.network");
  return {
    svg,
    circles: [...svg.querySelectorAll(".nodes circle")],
    strokes: [...svg.querySelectorAll(".lines line")],
    halos: svg.querySelector(".halos"),
    marks: svg.querySelector(".marks"),
    facts: section.querySelector(".facts"),
    pointed: null,
  };
});
const number = (element, name) => Number(element.getAttribute(name));
const points = drawings[0].circles.map((circle) => ({x: number(circle, "cx"), y: number(circle, "cy"),
                                                     r: number(circle, "r")}));
const segments = drawings[0].strokes.map((line) => ({x1: number(line, "x1"), y1: number(line, "y1"),
                                                     x2: number(line, "x2"), y2: number(line, "y2")}));

function voltageClass(view, stamp, node) {
  const deviation = view.tenths[stamp * placeCount + node] / 10 / map.nominal_v * 100;
  if (isViolated(view, stamp, node)) return deviation < 0 ? "v0" : "v6";
  const thirds = 3 * deviation / (deviation < 0 ? map.under_percent : map.over_percent);
  return thirds < -2 ? "v1" : thirds < -1 ? "v2" : thirds <= 1 ? "v3" : thirds <= 2 ? "v4" : "v5";
}

function loadingClass(view, stamp, line) {
  if (!map.lines[line].ampacity_a) return "l-none";
  if (isViolated(view, stamp, nodeCount + line)) return "l3";
  const thirds = 3 * loading(view, stamp, line) / map.loading_percent;
  return thirds <= 1 ? "l0" : thirds <= 2 ? "l1" : "l2";
}

// A ring, or a diamond around what is invented; both fit into each other.
function drawMark(drawing, place, kind) {
  if (place >= nodeCount) {
    svgElement("line", {...segments[place - nodeCount], class: kind}, drawing.halos);
    return;
  }
  const {x, y, r} = points[place];
  const stroke = {class: kind, "stroke-width": r * 0.3};
  if (kind === "invented") {
    const d = r * 2.5;
    svgElement("path", {d: `M${x} ${y - d}l${d} ${d}l${-d} ${d}l${-d} ${-d}z`, ...stroke}, drawing.marks);
  } else {
    svgElement("circle", {cx: x, cy: y, r: r * 1.7, ...stroke}, drawing.marks);
  }
}

function drawView(view, drawing, stamp) {
  drawing.halos.replaceChildren();
  drawing.marks.replaceChildren();
  drawing.pointed = null;
  const solved = view.solved[stamp];
  drawing.circles.forEach((circle, node) => {
    circle.setAttribute("class", solved ? voltageClass(view, stamp, node) : "unsolved");
  });
  drawing.strokes.forEach((stroke, line) => {
    const open = map.lines[line].open ? " open" : "";
    stroke.setAttribute("class", (solved ? loadingClass(view, stamp, line) : "unsolved") + open);
  });
  for (let place = 0; place < placeCount; ++place) {
    for (const kind of verdicts(view, stamp, place)) drawMark(drawing, place, kind);
  }
}

function addFact(list, term, text, isBad) {
  const name = document.createElement("dt");
  name.textContent = term;
  const value = document.createElement("dd");
  value.textContent = text;
  value.title = text;
  if (isBad) value.className = "bad";
  list.append(name, value);
}

function countText(view, stamp) {
  const counts = {violation: 0, missed: 0, invented: 0};
  for (let place = 0; place < placeCount; ++place) {
    for (const kind of verdicts(view, stamp, place)) ++counts[kind];
  }
  const total = String(view.violations[stamp]);
  if (truth === null || view === truth) return total;
  if (!truth.solved[stamp]) return `${total} (${truth.name} did not converge)`;
  return `${total} (${counts.missed} missed, ${counts.invented} invented)`;
}

function writeFacts(view, list, stamp) {
  list.replaceChildren();
  if (!view.solved[stamp]) {
    const unknown = ["Lowest voltage", "Highest voltage", "Highest loading"];
    for (const term of unknown) addFact(list, term, "\u2013");
    addFact(list, "Violations", "not known: no convergence", true);
    return;
  }
  const {low, high, full} = extremes(view, stamp);
  if (low >= 0) {
    addFact(list, "Lowest voltage", `${voltText(voltage(view, stamp, low))} at ${map.nodes[low].id}`,
            isViolated(view, stamp, low));
    addFact(list, "Highest voltage", `${voltText(voltage(view, stamp, high))} at ${map.nodes[high].id}`,
            isViolated(view, stamp, high));
  }
  addFact(list, "Highest loading",
          full < 0 ? "not known: no ampacities" : `${decimals(loading(view, stamp, full), 1)} % on ${map.lines[full].id}`,
          full >= 0 && isViolated(view, stamp, nodeCount + full));
  addFact(list, "Violations", countText(view, stamp), view.violations[stamp] > 0);
}

// --- Time. ---

let now = 0;
let timer = null;
const slider = byId("slider");

function show(stamp) {
  now = Math.max(0, Math.min(stampCount - 1, stamp));
  slider.value = now;
  const original = now * map.step;
  const isNumbered = map.times[now] === String(original);
  byId("time").textContent = isNumbered ? `stamp ${original}` : `${map.times[now]} (stamp ${original})`;
  slider.setAttribute("aria-valuetext", map.times[now]);
  views.forEach((view, i) => {
    drawView(view, drawings[i], now);
    writeFacts(view, drawings[i].facts, now);
  });
  placeCursor();
  byId("previous-violation").disabled = violationFrom(now - 1, -1) < 0;
  byId("next-violation").disabled = violationFrom(now + 1, 1) < 0;
  point(pointed, null);
}

// The address names the stamp, so that it can be sent to somebody. Browsers refuse to change it many times a second.
let naming = null;
function showAndName(stamp) {
  show(stamp);
  clearTimeout(naming);
  naming = setTimeout(() => history.replaceState(null, "", `#t=${now * map.step}`), 200);
}

function showAddressed() {
  const match = /^#t=(\d+)$/.exec(location.hash);
  show(match ? Math.round(Number(match[1]) / map.step) : 0);
}

function violationFrom(stamp, direction) {
  for (; stamp >= 0 && stamp < stampCount; stamp += direction) {
    if (views.some((view) => view.violations[stamp] > 0)) return stamp;
  }
  return -1;
}

function jump(direction) {
  pause();
  const stamp = violationFrom(now + direction, direction);
  if (stamp >= 0) showAndName(stamp);
}

function pause() {
  if (timer === null) return;
  clearInterval(timer);
  timer = null;
  byId("play").textContent = "\u25b6";
  showAndName(now);
}

function play() {
  if (now === stampCount - 1) show(0);
  byId("play").textContent = "\u23f8\ufe0e";
  timer = setInterval(() => (now === stampCount - 1 ? pause() : show(now + 1)), 150);
}

const togglePlay = () => (timer === null ? play() : pause());
const go = (stamp) => {
  pause();
  showAndName(stamp);
};

const keys = {
  ArrowLeft: () => go(now - 1),
  ArrowRight: () => go(now + 1),
  Home: () => go(0),
  End: () => go(stampCount - 1),
  " ": togglePlay,
  n: () => jump(1),
  p: () => jump(-1),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;  // which it presses
  event.preventDefault();
  keys[event.key]();
}

// --- The strip: the lowest and the highest voltage of each view over time, and where violations are. ---

const strip = byId("strip");
const seriesColours = ["ink", "blue", "vermilion", "green", "purple", "ochre", "slate"];
const seriesClass = (i) => `fugu-stroke-${seriesColours[i % seriesColours.length]} series-${i % 4}`;
const edge = {left: 46, right: 8, top: 6, lane: 5};
let cursor = null;
let ranges = [];  // of each view: its lowest and its highest voltage by stamp

const stripX = (stamp) => {
  const width = strip.clientWidth - edge.left - edge.right;
  return edge.left + (stampCount > 1 ? stamp / (stampCount - 1) * width : width / 2);
};

function rangeOf(view) {
  const range = {low: new Array(stampCount).fill(NaN), high: new Array(stampCount).fill(NaN)};
  for (let stamp = 0; stamp < stampCount; ++stamp) {
    if (!view.solved[stamp]) continue;
    const {low, high} = extremes(view, stamp);
    if (low < 0) continue;
    range.low[stamp] = voltage(view, stamp, low);
    range.high[stamp] = voltage(view, stamp, high);
  }
  return range;
}

// One point a pixel, the outermost of its stamps; gaps where nothing converged.
function curve(values, outermost, y) {
  const perColumn = Math.max(1, Math.floor(stampCount / Math.max(strip.clientWidth, 1)));
  let path = "";
  let isGap = true;
  for (let first = 0; first < stampCount; first += perColumn) {
    const column = values.slice(first, first + perColumn).filter((value) => !Number.isNaN(value));
    if (column.length > 0) {
      const x = stripX(first);
      const start = isGap ? `M${(x - 1.5).toFixed(1)}` : `L${x.toFixed(1)}`;
      path += `${start} ${y(outermost(...column)).toFixed(1)}${isGap ? "h3" : ""}`;  // a single point shows, too
    }
    isGap = column.length === 0;
  }
  return path;
}

// What the strip shows: all voltages, the limit that is nearer to them, and the other one unless most of the strip
// would be empty because of it.
function stripRange() {
  const all = ranges.flatMap(({low, high}) => [...low, ...high]).filter((value) => !Number.isNaN(value));
  const under = map.nominal_v * (100 - map.under_percent) / 100;
  const over = map.nominal_v * (100 + map.over_percent) / 100;
  if (all.length === 0) return {least: under, most: over, limits: [under, over]};
  const least = all.reduce((a, b) => Math.min(a, b));
  const most = all.reduce((a, b) => Math.max(a, b));
  const [near, far] = over - most < least - under ? [over, under] : [under, over];
  const range = {least: Math.min(least, near), most: Math.max(most, near), limits: [near]};
  const both = {least: Math.min(range.least, far), most: Math.max(range.most, far), limits: [near, far]};
  return both.most - both.least > 2 * (range.most - range.least) ? range : both;
}

function drawStrip() {
  strip.replaceChildren();
  const width = strip.clientWidth;
  const height = strip.clientHeight;
  strip.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const {least, most, limits} = stripRange();
  const bottom = height - edge.top - views.length * edge.lane;
  const y = (value) => bottom - (value - least) / (most - least || 1) * (bottom - edge.top);
  const label = (value, text) =>
    svgElement("text", {x: edge.left - 5, y: y(value) + 4, "text-anchor": "end"}, strip).textContent = text;
  const labelled = [];
  for (const value of [...limits, least, most]) {
    if (labelled.some((other) => Math.abs(y(value) - y(other)) < 12)) continue;
    labelled.push(value);
    label(value, `${decimals(value, 0)} V`);
  }
  // The first view is the thinnest and comes last: where curves coincide, all are seen.
  for (let i = views.length - 1; i >= 0; --i) {
    const {low, high} = ranges[i];
    const path = curve(low, Math.min, y) + curve(high, Math.max, y);
    svgElement("path", {d: path, class: `curve ${seriesClass(i)}`}, strip);
  }
  for (const limit of limits) {
    svgElement("line", {x1: edge.left, x2: width - edge.right, y1: y(limit), y2: y(limit), class: "limit"}, strip);
  }
  views.forEach((view, i) => {
    let ticks = "";
    const top = bottom + 3 + i * edge.lane;
    for (let stamp = 0; stamp < stampCount; ++stamp) {
      if (view.violations[stamp] > 0) ticks += `M${stripX(stamp).toFixed(1)} ${top}v${edge.lane - 2}`;
    }
    svgElement("path", {d: ticks, class: seriesClass(i), "stroke-width": 1.5}, strip);
  });
  cursor = svgElement("line", {y1: 0, y2: height, class: "cursor"}, strip);
  placeCursor();
}

function placeCursor() {
  if (cursor === null) return;
  cursor.setAttribute("x1", stripX(now));
  cursor.setAttribute("x2", stripX(now));
}

function writeStripKey() {
  const key = byId("strip-key");
  const about = document.createElement("span");
  about.textContent = "Lowest and highest voltage (gaps: no convergence); ticks: violations";
  key.append(about);
  const entry = (name, css) => {
    const span = document.createElement("span");
    svgElement("path", {d: "M0 5h28", class: css}, svgElement("svg", {viewBox: "0 0 28 10"}, span));
    span.append(name);
    key.append(span);
  };
  views.forEach((view, i) => entry(view.name, `curve ${seriesClass(i)}`));
  entry("limit", "limit");
}

function onStrip(event) {
  if (event.type === "pointermove" && event.buttons !== 1) return;
  const part = (event.clientX - strip.getBoundingClientRect().left - edge.left)
    / (strip.clientWidth - edge.left - edge.right);
  go(Math.round(part * (stampCount - 1)));
}

// --- What is pointed at: shown in all views. ---

const tip = byId("tip");
let pointed = -1;

function distanceTo(segment, x, y) {
  const dx = segment.x2 - segment.x1;
  const dy = segment.y2 - segment.y1;
  const part = ((x - segment.x1) * dx + (y - segment.y1) * dy) / (dx * dx + dy * dy || 1);
  const at = Math.max(0, Math.min(1, part));
  return Math.hypot(segment.x1 + at * dx - x, segment.y1 + at * dy - y);
}

// The nearest node, or else line, within reach of a finger.
function placeAt(svg, event) {
  const matrix = svg.getScreenCTM().inverse();
  const {x, y} = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
  const reach = 16 * matrix.a;
  const nearest = (distances, most) => distances.reduce(
    (best, distance, i) => (distance < best.distance ? {distance, i} : best), {distance: most, i: -1}).i;
  const node = nearest(points.map((point) => Math.hypot(point.x - x, point.y - y)), reach);
  if (node >= 0) return node;
  const line = nearest(segments.map((segment) => distanceTo(segment, x, y)), reach * 0.75);
  return line < 0 ? -1 : nodeCount + line;
}

function tipText(place) {
  const rows = [];
  const isLine = place >= nodeCount;
  const thing = isLine ? map.lines[place - nodeCount] : map.nodes[place];
  rows.push(isLine ? `Line ${thing.id}` : `Node ${thing.id}`);
  if (isLine) {
    rows.push(`${thing.ends}, ${thing.length_m} m, ${thing.kind}${thing.open ? ", open" : ""}`);
    rows.push(thing.ampacity_a ? `carries up to ${thing.ampacity_a} A` : "no ampacity");
  } else {
    if (place === map.root) rows.push("busbar of the transformer");
    for (const customer of thing.customers) rows.push(`customer ${customer}`);
  }
  for (const view of views) {
    const kind = verdicts(view, now, place).join(" and ");
    const text = !view.solved[now] ? "no convergence"
      : isLine ? lineText(view, now, place - nodeCount) : voltText(voltage(view, now, place));
    rows.push(`${view.name}: ${text}${kind ? `, ${kind}` : ""}`);
  }
  return rows.join("\n");
}

function point(place, event) {
  pointed = place;
  for (const drawing of drawings) {
    if (drawing.pointed) drawing.pointed.remove();
    drawing.pointed = null;
    if (place < 0) continue;
    drawing.pointed = place < nodeCount
      ? svgElement("circle", {cx: points[place].x, cy: points[place].y, r: points[place].r * 2.3, class: "pointed"},
                   drawing.marks)
      : svgElement("line", {...segments[place - nodeCount], class: "pointed"}, drawing.marks);
  }
  tip.hidden = place < 0;
  if (place < 0) return;
  tip.textContent = tipText(place);
  if (event === null) return;
  const box = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - box.width - 6);
  const below = event.clientY + 16;
  const isBelow = below + box.height < document.documentElement.clientHeight;
  tip.style.left = `${Math.max(6, left)}px`;
  tip.style.top = `${isBelow ? below : Math.max(6, event.clientY - box.height - 12)}px`;
}

for (const {svg} of drawings) {
  for (const type of ["pointermove", "pointerdown"]) {
    svg.addEventListener(type, (event) => point(placeAt(svg, event), event));
  }
  svg.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") point(-1, event);
  });
}

window.addEventListener("scroll", () => point(-1, null));  // the tip does not move with the page

if (stampCount > 0) {
  ranges = views.map(rangeOf);
  writeStripKey();
  drawStrip();  // at once: the observer waits for a frame
  new ResizeObserver(drawStrip).observe(strip);
  strip.addEventListener("pointerdown", onStrip);
  strip.addEventListener("pointermove", onStrip);
  slider.addEventListener("input", () => go(Number(slider.value)));
  byId("play").addEventListener("click", togglePlay);
  byId("back").addEventListener("click", keys.ArrowLeft);
  byId("forward").addEventListener("click", keys.ArrowRight);
  byId("previous-violation").addEventListener("click", keys.p);
  byId("next-violation").addEventListener("click", keys.n);
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", showAddressed);
  showAddressed();
}
)js";
}

}  // namespace fugu::report::detail

// fugu simulate: streams to try things on.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "command.hpp"
#include "fugu/simulate/artificial.hpp"
#include "fugu/stream/clock.hpp"

namespace fugu::cli {

namespace {

struct ArtificialArguments {
  ArtificialOptions stream;
  std::string name = "load";
  std::string start;
  std::string slot_length = "15m";
  std::string out = "-";
};

constexpr const char* kExamples = R"(
Examples
  fugu simulate artificial --length 2000 --season 96 --amplitude 500 --out totals.csv
  fugu simulate artificial --start 2026-03-28T00:00:00+01:00 --slot-length 15m --season 96 --level 200
)";

/// A file that is closed, and whose last write is checked, when it ends.
class OutputStream {
 public:
  static Result<OutputStream> open(const std::string& path) {
    OutputStream out;
    out.path_ = path;
    out.file_ = path == "-" ? stdout : std::fopen(path.c_str(), "w");
    if (out.file_ == nullptr) return Error{Cause::environment, path + ": opening failed: " + std::strerror(errno)};
    return out;
  }
  OutputStream(OutputStream&& other) noexcept
      : file_(std::exchange(other.file_, nullptr)), path_(std::move(other.path_)) {}
  OutputStream& operator=(OutputStream&&) = delete;
  ~OutputStream() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  }
  std::FILE* get() { return file_; }
  Result<void> finish() {
    if (std::fflush(file_) != 0 || std::ferror(file_) != 0)
      return Error{Cause::environment, path_ + ": writing failed: " + std::strerror(errno)};
    return {};
  }

 private:
  OutputStream() = default;
  std::FILE* file_ = nullptr;
  std::string path_;
};

Outcome simulate_artificial(const ArtificialArguments& arguments) {
  Clock clock;
  std::int32_t utc_offset_s = 0;
  if (!arguments.start.empty()) {
    Stamp start;
    const TimeFault fault = parse_stamp(arguments.start, std::nullopt, start);
    if (fault != TimeFault::none) return Error{Cause::usage, "--start: expected " + std::string(expected_stamp(fault))};
    FUGU_ASSIGN(const std::int64_t slot_s, parse_duration(arguments.slot_length));
    clock = Clock(start.instant_s, slot_s);
    utc_offset_s = start.utc_offset_s;
  }
  FUGU_ASSIGN(ArtificialStream stream, ArtificialStream::make(arguments.stream));
  FUGU_ASSIGN(OutputStream out, OutputStream::open(arguments.out));
  std::fprintf(out.get(), "time,%s\n", arguments.name.c_str());
  for (Slot slot = 0; slot < arguments.stream.length_slots; ++slot) {
    std::fprintf(out.get(), "%s,%.*f\n", clock.text(slot, utc_offset_s).c_str(), arguments.stream.decimals,
                 stream.next());
    if (std::ferror(out.get()) != 0) break;
  }
  FUGU_TRY(out.finish());
  return kDone;
}

}  // namespace

void add_simulate(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("simulate", "Make streams to try things on");
  command->require_subcommand(1);
  auto arguments = std::make_shared<ArtificialArguments>();
  CLI::App* artificial = command->add_subcommand("artificial", "A seasonal stream (Schäler's thesis, Algorithm 3)");
  artificial->footer(kExamples);
  ArtificialOptions& stream = arguments->stream;
  artificial->add_option("--length", stream.length_slots, "Slots")->capture_default_str();
  artificial->add_option("--season", stream.season_slots, "Mean length of a season in slots")->capture_default_str();
  artificial->add_option("--amplitude", stream.amplitude, "Largest value above the level")->capture_default_str();
  artificial->add_option("--level", stream.level, "Smallest value")->capture_default_str();
  artificial
      ->add_option("--sparsity", stream.sparsity, "Share of slots at the level between seasons, from 0 to below 1")
      ->capture_default_str();
  artificial->add_option("--growth", stream.growth, "Growth per slot within a season")->capture_default_str();
  artificial->add_option("--decimals", stream.decimals, "Decimals of the values")->capture_default_str();
  artificial->add_option("--seed", stream.seed, "Equal seeds give equal streams")->capture_default_str();
  artificial->add_option("--name", arguments->name, "Name of the series")->capture_default_str();
  artificial->add_option("--start", arguments->start, "Time of the first slot; plain slot numbers without it");
  artificial->add_option("--slot-length", arguments->slot_length, "Length of a slot when --start is given")
      ->capture_default_str();
  artificial->add_option("--out", arguments->out, "Stream, CSV wide; - is standard output")->capture_default_str();
  artificial->callback([arguments, &outcome] { outcome = simulate_artificial(*arguments); });
}

}  // namespace fugu::cli

// fugu study swellfish-thesis.
#include "fugu/study/zones.hpp"
#include "study.hpp"

namespace fugu::cli {

RunStudy prepare_swellfish_thesis(CLI::App& command, const StudyArguments& arguments) {
  static_cast<void>(command);
  return [&arguments]() -> Outcome {
    FUGU_ASSIGN(const ZoneSet zones, make_zones({.data_folder = arguments.data, .seed = arguments.seed}));
    for (const Zone& zone : zones.zones)
      note(zone.name + " " + short_number(zone.mean_kw()) + " " + std::to_string(zone.present()));
    return kDone;
  };
}

}  // namespace fugu::cli

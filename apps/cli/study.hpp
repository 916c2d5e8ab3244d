// The studies that `fugu study` knows. Another one is one file and one row of the table in study.cpp:
//
//     RunStudy prepare_my_study(CLI::App& command, const StudyArguments& arguments) {
//       auto own = std::make_shared<MyOptions>();
//       command.footer(kExamples);
//       command.add_option("--days", own->days, "Length in days")->capture_default_str();
//       return [own, &arguments]() -> Outcome { … return kDone; };
//     }
//
// The library has what studies share: zones (study/zones.hpp), rows that resume (study/result_file.hpp), all cores in
// order (study/ordered_tasks.hpp), pages (report/html.hpp, report/svg.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "command.hpp"

namespace fugu::cli {

/// Options that every study has.
struct StudyArguments {
  std::string out;   ///< folder for results.csv, report.html, …; never empty when a study runs
  std::string data;  ///< folder with real data; empty: simulated
  std::optional<std::uint64_t> runs;
  unsigned threads = 0;  ///< 0: all cores
  std::uint64_t seed = 1;
  bool full = false;  ///< as large as the paper's
  bool restart = false;
  bool no_report = false;
};

using RunStudy = std::function<Outcome()>;

struct StudyKind {
  const char* name;
  const char* summary;  ///< one line
  /// Adds options of its own and examples to `command`; what it returns is run after parsing. `arguments` outlive it.
  RunStudy (*prepare)(CLI::App& command, const StudyArguments& arguments);
};

RunStudy prepare_swellfish_2020(CLI::App& command, const StudyArguments& arguments);
RunStudy prepare_discounted(CLI::App& command, const StudyArguments& arguments);
RunStudy prepare_temporal(CLI::App& command, const StudyArguments& arguments);
RunStudy prepare_swellfish_thesis(CLI::App& command, const StudyArguments& arguments);
RunStudy prepare_distributional(CLI::App& command, const StudyArguments& arguments);
RunStudy prepare_grid(CLI::App& command, const StudyArguments& arguments);

}  // namespace fugu::cli

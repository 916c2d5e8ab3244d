#include "fugu/network/feeder.hpp"

#include <random>
#include <utility>

namespace fugu::grid {
namespace {

/// A common cable, by the kilometre.
struct Cable {
  double r_ohm;
  double x_ohm;
  double c_nf;
  double ampacity_a;
};
constexpr Cable kNayy150 = {0.208, 0.080, 261, 270};
constexpr Cable kNayy50 = {0.642, 0.083, 210, 142};

/// Whole numbers only, from a generator that the standard fixes: the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : words_(seed) {}
  /// From `first` to `last`, both included. Not exactly even, which does not matter for few numbers of 2⁶⁴.
  std::uint64_t between(std::uint64_t first, std::uint64_t last) { return first + words_() % (last - first + 1); }

 private:
  std::mt19937_64 words_;
};

Line line_of(std::string from, std::string to, const Cable& cable, std::uint64_t decimetres) {
  const double length_m = static_cast<double>(decimetres) / 10;
  const double km = length_m / 1000;
  return {.id = from + "-" + to,
          .from = std::move(from),
          .to = std::move(to),
          .length_m = length_m,
          .r_ohm = km * cable.r_ohm,
          .x_ohm = km * cable.x_ohm,
          .c_nf = km * cable.c_nf,
          .ampacity_a = cable.ampacity_a};
}

std::string name(char kind, std::uint64_t number) { return std::string(1, kind) + std::to_string(number); }

void add_node(NetworkData& data, std::string id) { data.nodes.push_back({std::move(id), 0.4, {}}); }

/// A street with side streets: most boxes follow the one before, some branch off earlier.
void add_boxes(NetworkData& data, std::size_t boxes, Dice& dice) {
  for (std::uint64_t box = 1; box <= boxes; ++box) {
    const std::uint64_t to_branch = dice.between(0, 9);
    const std::uint64_t parent = to_branch < 7 || box == 1 ? box - 1 : dice.between(0, box - 1);
    add_node(data, name('J', box));
    data.lines.push_back(
        line_of(parent == 0 ? "T" : name('J', parent), name('J', box), kNayy150, dice.between(300, 900)));
  }
}

/// Customers one box after the other, the industrial ones at random. Yearly energies of German households and of small
/// businesses.
void add_customers(NetworkData& data, const FeederOptions& options, Dice& dice) {
  std::size_t industrial_left = options.industrial;
  for (std::uint64_t number = 1; number <= options.customers; ++number) {
    const bool is_industrial = dice.between(1, options.customers - number + 1) <= industrial_left;
    if (is_industrial) --industrial_left;
    const std::string node = name('C', number);
    add_node(data, node);
    data.lines.push_back(line_of(name('J', 1 + (number - 1) % options.junction_boxes), node,
                                 is_industrial ? kNayy150 : kNayy50, dice.between(80, 400)));
    data.customers.push_back(
        {.id = node,
         .node = node,
         .kind = is_industrial ? CustomerKind::industrial : CustomerKind::residential,
         .contracted_kw = is_industrial ? 55 : 14,
         .yearly_kwh = static_cast<double>(is_industrial ? dice.between(12'000, 60'000) : dice.between(1'500, 6'500)),
         .power_factor = is_industrial ? 0.9 : 0.97});
  }
}

}  // namespace

Result<Network> make_feeder(const FeederOptions& options) {
  if (options.junction_boxes == 0 || options.customers == 0 || options.industrial > options.customers) {
    return Error{Cause::usage,
                 "a feeder has at least one junction box and one customer, and no more industrial "
                 "customers than customers"};
  }
  Dice dice(options.seed);
  NetworkData data;
  add_node(data, "T");
  data.transformers.push_back({.id = "transformer",
                               .lv_node = "T",
                               .rated_kva = 250,
                               .hv_kv = 10,
                               .lv_kv = 0.4,
                               .uk_percent = 4,
                               .copper_loss_kw = 3.25,
                               .iron_loss_kw = 0.425});
  add_boxes(data, options.junction_boxes, dice);
  add_customers(data, options, dice);
  return Network::make(std::move(data));
}

}  // namespace fugu::grid

#include "definition_table.hpp"

#include <algorithm>
#include <vector>

namespace fugu {

// Each is in the file of its definition. They need no code to be initialised: a Definition may be made before main().
extern const DefinitionKind kEvent;
extern const DefinitionKind kUser;
extern const DefinitionKind kWEvent;
extern const DefinitionKind kSwellfish;
extern const DefinitionKind kDiscountedExp;
extern const DefinitionKind kDiscountedHyp;

constinit const Protects Protects::event(kEvent);
constinit const Protects Protects::user(kUser);
constinit const Protects Protects::w_event(kWEvent);
constinit const Protects Protects::swellfish(kSwellfish);
constinit const Protects Protects::discounted_exp(kDiscountedExp);
constinit const Protects Protects::discounted_hyp(kDiscountedHyp);

namespace {

std::vector<const DefinitionKind*>& table() {
  static std::vector<const DefinitionKind*> rows = {&kEvent,     &kUser,          &kWEvent,
                                                    &kSwellfish, &kDiscountedExp, &kDiscountedHyp};
  return rows;
}

}  // namespace

std::span<const DefinitionKind* const> definition_kinds() { return table(); }

void add_definition(const DefinitionKind& kind) {
  FUGU_CHECK(!protects_named(kind.name));
  table().push_back(&kind);
}

std::string_view name_of(Protects protects) { return protects.kind().name; }

std::optional<Protects> protects_named(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &DefinitionKind::name);
  return found != table().end() ? std::optional<Protects>(**found) : std::nullopt;
}

std::unique_ptr<Accountant> make_accountant(const Definition& definition, const Exposure& exposure, Reach reach) {
  return definition.kind().accountant(definition, exposure, reach);
}

}  // namespace fugu

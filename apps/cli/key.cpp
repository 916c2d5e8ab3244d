// fugu key: the operator's key, which signs ledgers.
#include "command.hpp"
#include "fugu/accounting/operator_key.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
Examples
  fugu key new --out operator.key                 makes operator.key, to keep secret, and operator.key.pub, to give away
  fugu publish --key operator.key --ledger run.ledger …
  fugu audit --ledger run.ledger --key operator.key.pub

What a signature says, and what not: docs/guarantees/ledger.md, "Heads and signatures"
)";

Outcome make_key(const std::string& path) {
  FUGU_ASSIGN(const OperatorKey key, OperatorKey::create(path));
  note("made " + path + ", which only you may read, and " + path + ".pub, the public key " + key.public_key().text());
  return kDone;
}

}  // namespace

void add_key(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("key", "Make a key that signs ledgers");
  command->footer(kExamples);
  command->require_subcommand(1);
  CLI::App* make = command->add_subcommand("new", "Make a new Ed25519 key");
  auto path = std::make_shared<std::string>();
  make->add_option("--out", *path, "File for the private key; the public one goes to FILE.pub")->required();
  make->callback([path, &outcome] { outcome = make_key(*path); });
}

}  // namespace fugu::cli

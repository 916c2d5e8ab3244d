// fugu audit --head, --key: is this the ledger that somebody has seen, and did its operator sign it?
#include "fugu/accounting/audit_heads.hpp"

#include <cstdio>

#include "audit.hpp"

namespace fugu::cli {

void HeadArguments::add_to(CLI::App& command, CLI::Option* ledger) {
  command.add_option("--head", head, "A head that was kept, in hexadecimal: the ledger must continue it")
      ->needs(ledger);
  command.add_option("--key", key, "The operator's public key: heads must be signed with it")->needs(ledger);
}

Result<void> audit_heads(const std::string& ledger, const HeadArguments& arguments, bool open_ended,
                         AuditReport& report) {
  if (!arguments.given()) return {};
  HeadQuestions questions{.head = digest_from_hex(arguments.head), .key = std::nullopt, .open_ended = open_ended};
  if (!arguments.head.empty() && !questions.head)
    return Error{Cause::usage, "--head: expected the 64 hexadecimal digits that fugu publish says at its end"};
  if (!arguments.key.empty()) {
    FUGU_ASSIGN(questions.key, of_option("--key", PublicKey::load(arguments.key)));
  }
  FUGU_ASSIGN(const HeadReport heads, fugu::audit_heads(ledger, questions, report));
  std::printf("head        %s, of %llu frames\n", to_hex(heads.last.seal).c_str(),
              static_cast<unsigned long long>(heads.last.frames));
  if (heads.kept)
    std::printf("kept head   is that of the first %llu frames, %llu slots\n",
                static_cast<unsigned long long>(heads.kept->frames),
                static_cast<unsigned long long>(heads.kept->slots));
  if (questions.key)
    std::printf("signatures  %llu are right; %llu frames follow the last\n",
                static_cast<unsigned long long>(heads.signatures),
                static_cast<unsigned long long>(heads.frames_not_signed));
  return {};
}

}  // namespace fugu::cli

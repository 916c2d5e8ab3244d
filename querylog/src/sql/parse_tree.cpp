#include "parse_tree.hpp"

#include <pg_query.h>
#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "fugu/base/check.hpp"
#include "fugu/base/utf8.hpp"

namespace fugu::querylog::detail {

namespace {

// A level of the tree takes up to 2 KiB of stack in the parser (of `NOT NOT …`, measured), and a level takes a token.
constexpr std::size_t kTokensOnAnyStack = 400;
constexpr std::size_t kStackBytes = kTokensMax * 8 * 1024;

Refusal at(std::size_t position, std::string construct) { return {std::move(construct), position}; }

std::optional<Refusal> check_text(std::string_view text) {
  if (text.size() > kBytesMax) return at(0, "more than " + std::to_string(kBytesMax / 1024) + " KiB of text");
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) return at(nul + 1, "a NUL character");
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = decode_utf8(text.substr(i)).size;
    if (size == 0) return at(i + 1, "bytes that are not UTF-8");
    i += size;
  }
  return std::nullopt;
}

/// The parser counts characters, from 1; this counts bytes. 0 when it does not say.
std::size_t place_of(const PgQueryError& error, std::string_view text) {
  if (error.cursorpos <= 0) return 0;
  std::size_t place = 0;
  for (int character = 1; character < error.cursorpos && place < text.size(); ++character) {
    place += decode_utf8(text.substr(place)).size;
  }
  return place + 1;
}

struct FreeTokens {
  void operator()(PgQuery__ScanResult* tokens) const { pg_query__scan_result__free_unpacked(tokens, nullptr); }
};
using Tokens = std::unique_ptr<PgQuery__ScanResult, FreeTokens>;

std::variant<Tokens, Refusal> scan(const std::string& text) {
  const PgQueryScanResult scanned = pg_query_scan(text.c_str());
  std::variant<Tokens, Refusal> result;
  if (scanned.error != nullptr) {
    result = at(place_of(*scanned.error, text), "text that is no SQL");
  } else {
    Tokens tokens(pg_query__scan_result__unpack(nullptr, scanned.pbuf.len,
                                                reinterpret_cast<const std::uint8_t*>(scanned.pbuf.data)));
    FUGU_CHECK(tokens != nullptr);
    result = std::move(tokens);
  }
  pg_query_free_scan_result(scanned);
  return result;
}

/// Levels of messages below one, or more than `limit`. Fields are found by their description, so no kind is forgotten.
std::size_t depth_of(const ProtobufCMessage* message, std::size_t limit) {
  if (limit == 0) return 1;
  std::size_t below = 0;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(message);
  for (unsigned i = 0; i < message->descriptor->n_fields && below < limit; ++i) {
    const ProtobufCFieldDescriptor& field = message->descriptor->fields[i];
    if (field.type != PROTOBUF_C_TYPE_MESSAGE) continue;
    const auto* const count = reinterpret_cast<const std::size_t*>(bytes + field.quantifier_offset);
    if (field.label == PROTOBUF_C_LABEL_REPEATED) {
      const auto* const items = *reinterpret_cast<ProtobufCMessage* const* const*>(bytes + field.offset);
      for (std::size_t item = 0; item < *count && below < limit; ++item) {
        below = std::max(below, depth_of(items[item], limit - 1));
      }
    } else {
      const bool is_choice = (field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
      if (is_choice && *reinterpret_cast<const std::uint32_t*>(count) != field.id) continue;
      const auto* const item = *reinterpret_cast<ProtobufCMessage* const*>(bytes + field.offset);
      if (item != nullptr) below = std::max(below, depth_of(item, limit - 1));
    }
  }
  return below + 1;
}

/// A level of the tree is two messages: the node, and what kind of node it is.
constexpr std::size_t kMessagesMax = 2 * kDepthMax;

std::variant<ParseTree, Refusal> parse_on_this_stack(const std::string& text) {
  const PgQueryProtobufParseResult parsed = pg_query_parse_protobuf(text.c_str());
  std::variant<ParseTree, Refusal> result;
  if (parsed.error != nullptr) {
    result = at(place_of(*parsed.error, text), "text that PostgreSQL does not parse");
  } else {
    ParseTree tree(pg_query__parse_result__unpack(nullptr, parsed.parse_tree.len,
                                                  reinterpret_cast<const std::uint8_t*>(parsed.parse_tree.data)));
    if (tree == nullptr) {
      result = at(0, "a tree that cannot be read back");
    } else if (depth_of(&tree->base, kMessagesMax) > kMessagesMax) {
      tree.reset();  // while there is stack for it
      result = at(0, "more than " + std::to_string(kDepthMax) + " levels of nesting");
    } else {
      result = std::move(tree);
    }
  }
  pg_query_free_protobuf_parse_result(parsed);
  return result;
}

struct Task {
  const std::string& text;
  std::variant<ParseTree, Refusal> result{};
};

void* run_task(void* task) {
  auto& parsing = *static_cast<Task*>(task);
  parsing.result = parse_on_this_stack(parsing.text);
  return nullptr;
}

std::variant<ParseTree, Refusal> parse_on_a_large_stack(const std::string& text) {
  Task task{text};
  pthread_attr_t attributes;
  FUGU_CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, kStackBytes) == 0);
  pthread_t thread{};
  const bool started = pthread_create(&thread, &attributes, run_task, &task) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return at(0, "so much text that it needs a thread, which cannot be started");
  pthread_join(thread, nullptr);
  return std::move(task.result);
}

std::variant<std::vector<Piece>, Refusal> split_checked(const std::string& text) {
  const PgQuerySplitResult split = pg_query_split_with_scanner(text.c_str());
  std::variant<std::vector<Piece>, Refusal> result;
  if (split.error != nullptr) {
    result = at(place_of(*split.error, text), "text that is no SQL");
  } else {
    std::vector<Piece> pieces;
    for (int i = 0; i < split.n_stmts; ++i) {
      const PgQuerySplitStmt& piece = *split.stmts[i];
      pieces.push_back({static_cast<std::size_t>(piece.stmt_location), static_cast<std::size_t>(piece.stmt_len)});
    }
    result = std::move(pieces);
  }
  pg_query_free_split_result(split);
  return result;
}

}  // namespace

void FreeTree::operator()(PgQuery__ParseResult* tree) const { pg_query__parse_result__free_unpacked(tree, nullptr); }

std::variant<ParseTree, Refusal> parse(std::string_view text) {
  if (auto refusal = check_text(text)) return *std::move(refusal);
  const std::string terminated(text);
  auto tokens = scan(terminated);
  if (auto* const refusal = std::get_if<Refusal>(&tokens)) return std::move(*refusal);
  const std::size_t count = std::get<Tokens>(tokens)->n_tokens;
  if (count > kTokensMax) return at(0, "more than " + std::to_string(kTokensMax) + " tokens");
  auto parsed = count <= kTokensOnAnyStack ? parse_on_this_stack(terminated) : parse_on_a_large_stack(terminated);
  if (const auto* const tree = std::get_if<ParseTree>(&parsed)) {
    if ((*tree)->n_stmts == 0) return at(0, "no statement");
    if ((*tree)->n_stmts > 1) return at(0, "several statements");
  }
  return parsed;
}

std::variant<std::vector<Piece>, Refusal> split_script(const std::string& text) {
  if (const auto nul = text.find('\0'); nul != std::string::npos) return at(nul + 1, "a NUL character");
  if (!is_utf8(text)) return at(0, "bytes that are not UTF-8");
  return split_checked(text);
}

std::vector<Piece> parameters_of(const std::string& text) {
  if (check_text(text)) return {};
  const auto scanned = scan(text);
  const auto* const tokens = std::get_if<Tokens>(&scanned);
  if (tokens == nullptr) return {};
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < (*tokens)->n_tokens; ++i) {
    const PgQuery__ScanToken& token = *(*tokens)->tokens[i];
    if (token.token != PG_QUERY__TOKEN__PARAM) continue;
    pieces.push_back({static_cast<std::size_t>(token.start), static_cast<std::size_t>(token.end - token.start)});
  }
  return pieces;
}

}  // namespace fugu::querylog::detail

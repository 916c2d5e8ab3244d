// Markup that is well-formed and escaped by construction: the writer under charts and pages.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fugu::report {

/// `text` fit for element content and quoted attributes of HTML and XML. Bytes that are not UTF-8 and characters XML
/// forbids become U+FFFD, so any input gives a document every parser accepts.
std::string escape(std::string_view text);

/// Tag and attribute names come from our own code and are written as they are; values and text are escaped.
struct Attribute {
  std::string_view name;
  std::string value;
};

/// Writes nested elements. Empty elements close themselves (`<path …/>`), which both HTML and XML read.
class MarkupWriter {
 public:
  void open(std::string_view tag, const std::vector<Attribute>& attributes = {});
  void close();  ///< the innermost open element
  void empty(std::string_view tag, const std::vector<Attribute>& attributes = {});
  void text(std::string_view text);
  void element(std::string_view tag, const std::vector<Attribute>& attributes, std::string_view text);

  /// Markup or style from our own code, inserted as it is. Never hand it anything that came from outside.
  void trusted(std::string_view markup) { out_ += markup; }

  /// What was written. Every element must have been closed.
  std::string finish() &&;

 private:
  void start(std::string_view tag, const std::vector<Attribute>& attributes, std::string_view end);

  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace fugu::report

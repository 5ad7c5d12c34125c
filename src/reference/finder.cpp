#include "reference/finder.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "protocol/server_json.h"

namespace weighbridge::reference {
namespace {

using protocol::append_escaped;
using protocol::append_quoted;

}  // namespace

Finder::Finder(const Catalogue& catalogue)
    : catalogue_(catalogue),
      index_(catalogue),
      schemas_(catalogue),
      rendered_(catalogue.operations().size()) {}

ToolResult Finder::find(std::string_view query, std::size_t limit, bool explain) {
  const Found found = index_.find(query, limit, explain);
  ToolResult result;
  result.members.reserve(4096 + 700 * found.hits.size());
  result.members += R"("content":[{"type":"text","text":")";
  append_text(result.members, found);
  result.members += R"("}],"structuredContent":)";
  append_structured(result.members, query, found);
  return result;
}

/// One line an action, within a JSON string: what a reader needs to choose.
void Finder::append_text(std::string& out, const Found& found) const {
  const auto to = std::back_inserter(out);
  if (found.hits.empty()) out += "No action fits. Try fewer or more general words.";
  for (std::size_t i = 0; i < found.hits.size(); ++i) {
    const auto& operation = *found.hits[i].operation;
    if (i > 0) out += "\\n";
    fmt::format_to(to, FMT_COMPILE("{}. {}: "), i + 1, operation.id);
    append_escaped(out, operation.title);
    fmt::format_to(to, FMT_COMPILE(" ({} {})"), to_string(operation.method), operation.path);
  }
  if (found.total > found.hits.size())
    fmt::format_to(to, FMT_COMPILE("\\n{} more match less well."), found.total - found.hits.size());
}

void Finder::append_structured(std::string& out, std::string_view query, const Found& found) {
  const auto to = std::back_inserter(out);
  out += R"({"query":)";
  append_quoted(out, query);
  fmt::format_to(to, FMT_COMPILE(R"(,"total":{},"actions":[)"), found.total);
  for (const auto& hit : found.hits) {
    const auto& operation = *hit.operation;
    if (&hit != &found.hits.front()) out += ',';
    fmt::format_to(to, FMT_COMPILE(R"({{"id":"{}","title":)"), operation.id);
    append_quoted(out, operation.title);
    fmt::format_to(to,
                   FMT_COMPILE(R"(,"method":"{}","path":"{}","area":"{}","score":{:.2f},)"
                               R"("read_only":{},"destructive":{},"parameters":)"),
                   to_string(operation.method), operation.path, catalogue_.group_of(operation),
                   hit.score, operation.method == Method::get, operation.method == Method::remove);
    out += schema_of(operation);
    if (!hit.why.empty()) {
      out += R"(,"why":[)";
      for (const auto& reason : hit.why)
        fmt::format_to(to, FMT_COMPILE(R"({}{{"word":"{}","added":{:.2f}}})"),
                       &reason == &hit.why.front() ? "" : ",", reason.word, reason.added);
      out += ']';
    }
    out += '}';
  }
  out += "]}";
}

const std::string& Finder::schema_of(const Operation& operation) {
  auto& text = rendered_[static_cast<std::size_t>(&operation - catalogue_.operations().data())];
  if (text.empty()) schemas_.append_input(text, operation, SchemaWriter::Dialect::implied);
  return text;
}

}  // namespace weighbridge::reference

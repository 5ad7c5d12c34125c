#include <fmt/format.h>

#include "record/detail/json_reader.h"
#include "record/detail/members.h"
#include "record/json.h"

namespace weighbridge::record {
namespace {

using detail::Json;
using detail::Path;

/// What no single member shows; empty when all is well.
template <typename Struct>
std::string_view flaw_of(const Struct&) {
  return {};
}

std::string_view flaw_of(const Trace& trace) {
  const std::size_t length = trace.at_ms.size();
  const bool even = trace.resident_mib.size() == length && trace.cpu_seconds.size() == length &&
                    trace.threads.size() == length && trace.processes.size() == length;
  return even ? "" : "has columns of different lengths";
}

/// Reads the members of one object. After the first trouble it does nothing any more.
class ObjectReader {
 public:
  ObjectReader(const Json& object, const Path& path, detail::Trouble& trouble)
      : object_(object), path_(path), trouble_(trouble) {}

  template <typename Value>
  void operator()(std::string_view name, Value& value) {
    if (trouble_) return;
    known_.push_back(name);
    const Path here{.parent = &path_, .name = name};
    if (const Json* node = detail::member_of(object_, name))
      read(*node, here, value);
    else
      note(trouble_, here, "is missing");
  }

  /// Refuses the members that were not asked for.
  void finish() {
    if (!trouble_) detail::refuse_others(object_, known_, path_, trouble_);
  }

 private:
  template <typename Value>
  void read(const Json& node, const Path& here, Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      std::string text;
      detail::read_scalar(node, here, text, trouble_);
      if (!trouble_ && !from_string(text, value))
        note(trouble_, here, "has a value not known here");
    } else if constexpr (detail::Scalar<Value>) {
      detail::read_scalar(node, here, value, trouble_);
    } else if (detail::expect_object(node, here, trouble_)) {
      ObjectReader inner(node, here, trouble_);
      detail::members(inner, value);
      inner.finish();
      if (const auto flaw = flaw_of(value); !trouble_ && !flaw.empty()) note(trouble_, here, flaw);
    }
  }

  template <typename Value>
  void read(const Json& node, const Path& here, std::optional<Value>& value) {
    value.reset();
    if (!node.is_null()) read(node, here, value.emplace());
  }

  template <typename Element>
  void read(const Json& node, const Path& here, std::vector<Element>& elements) {
    if (!detail::expect_array(node, here, trouble_)) return;
    elements.clear();
    elements.reserve(node.size());
    for (std::size_t i = 0; i < node.size() && !trouble_; ++i)
      read(node[i], Path{.parent = &here, .name = {}, .index = i}, elements.emplace_back());
  }

  template <typename Value>
  void read(const Json& node, const Path& here, std::map<std::string, Value>& entries) {
    if (!detail::expect_object(node, here, trouble_)) return;
    entries.clear();
    for (const auto& [name, entry] : node.items())
      read(entry, Path{.parent = &here, .name = name}, entries[name]);
  }

  const Json& object_;
  const Path& path_;
  detail::Trouble& trouble_;
  std::vector<std::string_view> known_;
};

/// A record of another schema is refused as such, not for the first member that differs.
Result<void> check_schema(const Json& document, const std::string& path) {
  const Json* schema = detail::member_of(document, "schema");
  if (schema == nullptr || !schema->is_number_integer())
    return fail(ErrorCode::malformed, "this is no record of weighbridge: it has no schema number",
                path);
  if (const auto number = schema->get<std::int64_t>(); number != Record{}.schema)
    return fail(
        ErrorCode::malformed, fmt::format("record schema {} is not known here", number), path,
        number > Record{}.schema ? "Use the version of weighbridge that wrote it, or a newer one"
                                 : "");
  return {};
}

/// "run" where the document does not say: its reader will.
std::string mode_of(const Json& document) {
  const Json* mode = detail::member_of(document, "mode");
  return mode != nullptr && mode->is_string() ? mode->get<std::string>() : Record{}.mode;
}

std::unexpected<Error> unknown_mode(const std::string& mode, const std::string& path) {
  return fail(ErrorCode::malformed,
              fmt::format("records of the mode \"{}\" are not known here", mode), path);
}

template <typename Document>
Result<Document> read_document(const Json& json, const std::string& path) {
  Document record;
  detail::Trouble trouble;
  const Path root;
  ObjectReader reader(json, root, trouble);
  detail::members(reader, record);
  reader.finish();
  if (trouble)
    return fail(ErrorCode::malformed, *trouble, path,
                "Measure again, or restore the file as weighbridge wrote it");
  return record;
}

}  // namespace

Result<Record> from_json(std::string_view text, const std::string& path) {
  WB_TRY(const Json document, detail::parse_json(text, path));
  WB_CHECK(check_schema(document, path));
  if (const std::string mode = mode_of(document); mode != Record{}.mode)
    return unknown_mode(mode, path);
  return read_document<Record>(document, path);
}

Result<AnyRecord> any_from_json(std::string_view text, const std::string& path) {
  WB_TRY(const Json document, detail::parse_json(text, path));
  WB_CHECK(check_schema(document, path));
  const std::string mode = mode_of(document);
  if (mode == Record{}.mode) return read_document<Record>(document, path);
  if (mode == LoadRecord{}.mode) return read_document<LoadRecord>(document, path);
  if (mode == Calibration{}.mode) return read_document<Calibration>(document, path);
  return unknown_mode(mode, path);
}

}  // namespace weighbridge::record

#include "protocol/server_message.h"

#include "protocol/server_json.h"

namespace weighbridge::protocol {
namespace {

constexpr std::size_t kSmallText = 64 * 1024;

ClientMessage invalid(std::string_view trouble, std::string id = "null") {
  ClientMessage message;
  message.id = std::move(id);
  message.trouble = trouble;
  return message;
}

/// A string or an integer; everything else cannot be answered to.
bool read_id(simdjson::dom::element element, std::string& id) {
  std::string_view text;
  if (element.get(text) == simdjson::SUCCESS) {
    id.clear();
    append_quoted(id, text);
    return true;
  }
  if (!element.is_int64() && !element.is_uint64()) return false;
  id = simdjson::minify(element);
  return true;
}

}  // namespace

std::string_view ClientMessage::text_param(std::string_view name) const {
  std::string_view text;
  if (!has_params || params[name].get(text) != simdjson::SUCCESS) return {};
  return text;
}

bool ClientMessage::find_meta(std::string_view key, simdjson::dom::element& value) const {
  simdjson::dom::object meta;
  return has_params && params["_meta"].get(meta) == simdjson::SUCCESS &&
         meta[key].get(value) == simdjson::SUCCESS;
}

bool ClientMessage::has_meta(std::string_view key) const {
  simdjson::dom::element value;
  return find_meta(key, value);
}

std::string_view ClientMessage::meta_text(std::string_view key) const {
  simdjson::dom::element value;
  std::string_view text;
  if (!find_meta(key, value) || value.get(text) != simdjson::SUCCESS) return {};
  return text;
}

Result<const ClientInput*> ClientReader::read(std::string_view text) {
  large_.reset();
  if (text.size() > kSmallText) large_ = std::make_unique<simdjson::dom::parser>();
  auto& parser = large_ ? *large_ : parser_;
  simdjson::dom::element root;
  if (const auto error = parser.parse(text.data(), text.size()).get(root);
      error != simdjson::SUCCESS)
    return fail(ErrorCode::malformed, simdjson::error_message(error));
  input_.messages.clear();
  simdjson::dom::array array;
  input_.batch = root.get(array) == simdjson::SUCCESS;
  if (!input_.batch) {
    input_.messages.push_back(read_message(root));
    return &input_;
  }
  for (const auto element : array) input_.messages.push_back(read_message(element));
  if (input_.messages.empty()) input_.messages.push_back(invalid("an empty batch"));
  return &input_;
}

ClientMessage ClientReader::read_message(simdjson::dom::element element) {
  simdjson::dom::object object;
  if (element.get(object) != simdjson::SUCCESS) return invalid("not an object");
  ClientMessage message;
  simdjson::dom::element id;
  const bool has_id = object["id"].get(id) == simdjson::SUCCESS;
  if (has_id && !read_id(id, message.id)) return invalid("its id is neither string nor integer");
  std::string_view version;
  if (object["jsonrpc"].get(version) != simdjson::SUCCESS || version != "2.0")
    return invalid("\"jsonrpc\" is not \"2.0\"", message.id);

  simdjson::dom::element method;
  if (object["method"].get(method) != simdjson::SUCCESS) {
    message.has_result = object["result"].get(message.result) == simdjson::SUCCESS;
    const bool answers = message.has_result || object["error"].error() == simdjson::SUCCESS;
    if (!answers || !has_id) return invalid("neither a request nor a response", message.id);
    message.kind = ClientMessage::Kind::response;
    return message;
  }
  if (method.get(message.method) != simdjson::SUCCESS)
    return invalid("its method is not a string", message.id);
  simdjson::dom::element params;
  if (object["params"].get(params) == simdjson::SUCCESS) {
    if (params.get(message.params) != simdjson::SUCCESS)
      return invalid("its params are no object", message.id);
    message.has_params = true;
  }
  message.kind = has_id ? ClientMessage::Kind::request : ClientMessage::Kind::notification;
  return message;
}

}  // namespace weighbridge::protocol

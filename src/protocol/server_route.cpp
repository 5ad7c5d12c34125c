#include "protocol/server_route.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "protocol/server_base64.h"
#include "protocol/server_json.h"

namespace weighbridge::protocol {
namespace {

using namespace std::string_view_literals;

constexpr std::array kCommonMethods{"tools/list"sv, "tools/call"sv, "resources/list"sv,
                                    "resources/read"sv, "resources/templates/list"sv};

bool has_method(const Era& era, std::string_view method, const ServerFeatures& features) {
  if (std::ranges::find(kCommonMethods, method) != kCommonMethods.end()) return true;
  if (method == "prompts/list" || method == "prompts/get") return features.prompts;
  if (method == "completion/complete") return features.completions;
  if (!era.handshake)
    return method == "server/discover" ||
           (features.subscriptions && method == "subscriptions/listen");
  if (method == "resources/subscribe" || method == "resources/unsubscribe")
    return features.subscriptions;
  if (method == "logging/setLevel") return features.logging;
  return method == "initialize" || (era.ping && method == "ping");
}

Refusal unsupported_version(std::string_view asked) {
  std::string data = R"({"supported":[)";
  append_quoted(data, newest_era().name);
  data += R"(],"requested":)";
  append_quoted(data, asked);
  data += '}';
  return {.code = kUnsupportedVersion,
          .message = fmt::format("protocol version {} is not supported", asked),
          .data = std::move(data),
          .http_status = 400};
}

Refusal mismatch(std::string message) {
  return {.code = kHeaderMismatch, .message = std::move(message), .data = {}, .http_status = 400};
}

/// The parameter that Mcp-Name repeats, by method; empty where there is none.
std::string_view named_by(const ClientMessage& message) {
  if (message.method == "tools/call" || message.method == "prompts/get")
    return message.text_param("name");
  if (message.method == "resources/read") return message.text_param("uri");
  return {};
}

std::optional<Refusal> check_headers(const ClientMessage& message, const RequestHeaders& headers) {
  const auto version = message.meta_text(kMetaVersion);
  if (!headers.version) return mismatch("the header MCP-Protocol-Version is missing");
  if (*headers.version != version)
    return mismatch(
        fmt::format("MCP-Protocol-Version says {}, _meta says {}", *headers.version, version));
  // Notifications have no rules about the other headers (26/streamable-http).
  if (message.kind != ClientMessage::Kind::request) return std::nullopt;
  if (!headers.method) return mismatch("the header Mcp-Method is missing");
  if (*headers.method != message.method)
    return mismatch(
        fmt::format("Mcp-Method says {}, the message says {}", *headers.method, message.method));
  const auto name = named_by(message);
  if (name.empty()) return std::nullopt;
  if (!headers.name) return mismatch("the header Mcp-Name is missing");
  const auto decoded = decode_header_value(*headers.name);
  if (!decoded || *decoded != name)
    return mismatch(fmt::format("Mcp-Name says {}, the message says {}", *headers.name, name));
  return std::nullopt;
}

std::optional<Refusal> check_stateless(const ClientMessage& message, const RequestHeaders* headers,
                                       const ServerFeatures& features) {
  const auto version = message.meta_text(kMetaVersion);
  const auto missing = [](std::string_view key) {
    return Refusal{.code = kInvalidParams,
                   .message = fmt::format("_meta lacks {}", key),
                   .data = {},
                   .http_status = 400};
  };
  if (version.empty()) return missing(kMetaVersion);
  if (headers != nullptr)
    if (auto refusal = check_headers(message, *headers)) return refusal;
  const Era* const era = find_era(version);
  if (era == nullptr || era->handshake) return unsupported_version(version);
  if (message.kind != ClientMessage::Kind::request) return std::nullopt;
  if (!message.has_meta(kMetaCapabilities)) return missing(kMetaCapabilities);
  if (has_method(*era, message.method, features)) return std::nullopt;
  return Refusal{.code = kMethodNotFound,
                 .message = fmt::format("there is no method {}", message.method),
                 .data = {},
                 .http_status = 404};
}

/// Whether the header by itself says that the request is stateless: then a missing `_meta` is a
/// fault of the request and no sign of an older client.
bool says_stateless(const RequestHeaders* headers) {
  if (headers == nullptr || !headers->version) return false;
  const Era* const era = find_era(*headers->version);
  return era != nullptr && !era->handshake;
}

/// A message before or without initialize: over HTTP the specification names the revision that a
/// missing header stands for; on stdio nothing is said, and the newest is the best guess.
const Era& assumed_era(const RequestHeaders* headers) {
  return headers != nullptr ? era(Revision::v2025_03_26) : newest_handshake_era();
}

Route route_handshake(const ClientMessage& message, const RequestHeaders* headers,
                      const Era* negotiated, const ServerFeatures& features) {
  Route chosen{.era = negotiated != nullptr ? negotiated : &assumed_era(headers), .refusal = {}};
  if (headers != nullptr && headers->version) {
    const Era* const named = find_era(*headers->version);
    if (named == nullptr) {
      chosen.refusal = unsupported_version(*headers->version);
      return chosen;
    }
    if (negotiated == nullptr) chosen.era = named;
  }
  if (message.kind == ClientMessage::Kind::request &&
      !has_method(*chosen.era, message.method, features))
    chosen.refusal = Refusal{.code = kMethodNotFound,
                             .message = fmt::format("there is no method {}", message.method),
                             .data = {},
                             .http_status = 200};
  return chosen;
}

}  // namespace

Route route(const ClientMessage& message, const RequestHeaders* headers, const Era* negotiated,
            const ServerFeatures& features) {
  if (message.has_meta(kMetaVersion) || says_stateless(headers))
    return {.era = &newest_era(), .refusal = check_stateless(message, headers, features)};
  // Only a stateless client discovers; one that forgot its _meta is told so rather than offered an
  // older era's "no such method".
  if (message.method == "server/discover")
    return {.era = &newest_era(), .refusal = check_stateless(message, headers, features)};
  return route_handshake(message, headers, negotiated, features);
}

const Era& negotiate(std::string_view asked) {
  const Era* const known = find_era(asked);
  return known != nullptr && known->handshake ? *known : newest_handshake_era();
}

Refusal no_such_resource(const Era& era, std::string_view uri) {
  std::string data = R"({"uri":)";
  append_quoted(data, uri);
  return {.code = era.handshake ? kResourceNotFound : kInvalidParams,
          .message = fmt::format("there is no resource {}", uri),
          .data = data + '}'};
}

std::optional<std::string> decode_header_value(std::string_view value) {
  constexpr auto kBegin = "=?base64?"sv;
  constexpr auto kEnd = "?="sv;
  const bool encoded = value.size() >= kBegin.size() + kEnd.size() && value.starts_with(kBegin) &&
                       value.ends_with(kEnd);
  if (!encoded) return std::string(value);
  const auto text = value.substr(kBegin.size(), value.size() - kBegin.size() - kEnd.size());
  return decode_strict_base64(text);
}

}  // namespace weighbridge::protocol

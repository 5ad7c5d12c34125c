#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/era.h"
#include "protocol/server_features.h"
#include "protocol/server_message.h"

namespace weighbridge::protocol {

/// JSON-RPC and MCP error codes that a server gives by itself.
constexpr std::int64_t kParseError = -32700;
constexpr std::int64_t kInvalidRequest = -32600;
constexpr std::int64_t kMethodNotFound = -32601;
constexpr std::int64_t kInvalidParams = -32602;
constexpr std::int64_t kResourceNotFound = -32002;  ///< handshake eras; later kInvalidParams
constexpr std::int64_t kHeaderMismatch = -32020;
constexpr std::int64_t kMissingCapability = -32021;
constexpr std::int64_t kUnsupportedVersion = -32022;

constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";
constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";

/// A request that is answered with an error before anybody looks at what it asks.
struct Refusal {
  std::int64_t code = 0;
  std::string message;
  std::string data = {};  ///< JSON, may be empty
  int http_status = 200;  ///< of the reply, on HTTP
};

/// The headers that say the same as the message, as they came. Absent on stdio.
struct RequestHeaders {
  std::optional<std::string_view> version = {};  ///< MCP-Protocol-Version
  std::optional<std::string_view> method = {};   ///< Mcp-Method
  std::optional<std::string_view> name = {};     ///< Mcp-Name
  /// Any other header by its name in any case: Mcp-Param-*. May be empty.
  std::function<std::optional<std::string_view>(std::string_view name)> find = {};
};

struct Route {
  const Era* era = nullptr;  ///< by whose rules the message is answered; never null
  std::optional<Refusal> refusal = {};
};

/// Decides by which era's rules a message is served, or why it is not. `_meta` is looked at first
/// (26/versioning): a removed method such as initialize, sent with it, is a stateless request for a
/// method that does not exist. `headers`: nullptr on stdio. `negotiated`: what initialize agreed on
/// in this process or session; nullptr if there was none. `features`: what the server has.
Route route(const ClientMessage& message, const RequestHeaders* headers, const Era* negotiated,
            const ServerFeatures& features = {});

/// The era that initialize gets: the one it asked for if it is opened by a handshake, else the
/// newest that is.
const Era& negotiate(std::string_view asked);

/// The error of resources/read for a URI that nothing stands behind.
Refusal no_such_resource(const Era& era, std::string_view uri);

/// `=?base64?…?=` undone (SEP-2243), nullopt when what it holds is not RFC 4648 to the letter;
/// other values, such as one that only begins like that, as they are.
std::optional<std::string> decode_header_value(std::string_view value);

}  // namespace weighbridge::protocol

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/era.h"

namespace weighbridge::protocol {

/// One header of an HTTP request, as MCP wants it.
struct HeaderField {
  std::string name;
  std::string value;
};

/// What the headers of one POST depend on.
struct HeaderFacts {
  std::string_view method;                ///< of the JSON-RPC message; empty for a response
  std::string_view name;                  ///< params.name or params.uri; empty where there is none
  std::string_view session_id;            ///< as the server gave it; empty when it gave none
  std::span<const HeaderField> params{};  ///< Mcp-Param-*, from headers_of_call()
};

/// Headers of a POST that carries one message (Content-Type, Accept and what the era asks for).
/// `initialize` carries no version header: the version is what it negotiates.
std::vector<HeaderField> post_headers(const Era& era, const HeaderFacts& facts);

/// Headers of the DELETE that ends a session.
std::vector<HeaderField> delete_headers(const Era& era, std::string_view session_id);

/// Headers of a GET that asks for a stream of events: the server's own, or, with the id of the last
/// event that was seen, the rest of one that broke off.
std::vector<HeaderField> stream_headers(const Era& era, std::string_view session_id,
                                        std::string_view last_event_id);

/// A value as it may stand in Mcp-Name and Mcp-Param-* (SEP-2243): as it is when it is safe ASCII
/// without white space at its edges and does not look encoded, else `=?base64?…?=`.
std::string encode_header_value(std::string_view value);

}  // namespace weighbridge::protocol

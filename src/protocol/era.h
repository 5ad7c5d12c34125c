#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weighbridge::protocol {

enum class Revision { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

/// Everything in which the revisions differ on the wire, as data: no code elsewhere asks "which
/// revision", it asks for a property.
struct Era {
  Revision revision;
  std::string_view name;  ///< as it travels: "2025-11-25"
  bool handshake;         ///< initialize and notifications/initialized; else _meta on every request
  bool sessions;          ///< Mcp-Session-Id, DELETE, GET stream, Last-Event-ID
  bool version_header;    ///< MCP-Protocol-Version on every request (after initialize)
  bool method_headers;    ///< Mcp-Method, Mcp-Name, Mcp-Param-*
  bool batches;           ///< a message may be an array
  bool ping;
  bool priming_events;      ///< a stream begins with an event that has an id and no data (SEP-1699)
  bool server_requests;     ///< the server may send requests
  bool structured_content;  ///< outputSchema, structuredContent
  bool cache_hints;         ///< ttlMs and cacheScope on results
};

/// Oldest first.
std::span<const Era> eras();
const Era& era(Revision revision);
/// nullptr for a name that is not in the table.
const Era* find_era(std::string_view name);
/// The newest revision in the table: what is asked for first.
const Era& newest_era();
/// The newest revision that is opened by a handshake.
const Era& newest_handshake_era();

}  // namespace weighbridge::protocol

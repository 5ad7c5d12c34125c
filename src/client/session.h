#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "os/poller.h"
#include "protocol/client_capabilities.h"
#include "protocol/era.h"
#include "protocol/headers.h"
#include "protocol/outcome.h"
#include "transport/http_client.h"
#include "transport/stdio_channel.h"

namespace weighbridge::client {

/// One request to make. `params` is the text of a JSON object without `_meta` (the session adds it
/// where the era wants it).
struct Call {
  std::string method;
  std::string params = "{}";
  std::string
      name;  ///< params.name or params.uri, for the Mcp-Name header; empty where there is none
  /// Mcp-Param-*, which travel where the era has them; call_of_tool() knows them.
  std::vector<protocol::HeaderField> param_headers{};
};

/// tools/call of the tool that `item`, one item of tools/list, describes. `arguments` is a JSON
/// object. ErrorCode::malformed when the item has no name.
Result<Call> call_of_tool(std::string_view item, std::string_view arguments);

/// How a reply travelled.
enum class Media { stdio, json, sse, none };
std::string_view to_string(Media media);

/// One reply, or why there is none.
struct Reply {
  Instant sent{};
  Instant first_byte{};
  Instant first_event{};  ///< SSE: first event of any kind; else first_byte
  Instant done{};
  int http_status = 0;  ///< 0 on stdio
  Media media = Media::none;
  std::string message;  ///< the answering JSON-RPC message; empty when none came
  std::uint64_t wire_bytes =
      0;           ///< body bytes of the reply: message and SSE framing, without HTTP heads
  std::string id;  ///< the request's id as rendered
  bool hung = false;
  std::optional<Error> error;  ///< transport trouble
  std::string retry_after{};   ///< the header of that name; empty when absent

  [[nodiscard]] protocol::ReplyFacts facts(bool tool_call) const;
};

/// What the server said of itself, from server/discover or initialize.
struct ServerIdentity {
  std::string name;
  std::string title;
  std::string version;
  std::vector<std::string> revisions;     ///< as offered by discover; else the one negotiated
  std::vector<std::string> capabilities;  ///< names of the top-level members
  std::uint64_t instructions_bytes = 0;
};

struct SessionCounters {
  std::uint64_t notifications = 0;
  std::uint64_t server_requests_answered = 0;
  std::uint64_t connection_resets_retried = 0;
  std::uint64_t connections_opened = 0;
  std::uint64_t stray_messages = 0;   ///< answers to no request of ours
  std::uint64_t streams_resumed = 0;  ///< answers read on by GET with Last-Event-ID
};

/// One list, every page of it.
struct Listing {
  std::vector<std::uint64_t> page_bytes;  ///< message bytes of each page
  std::uint64_t wire_bytes = 0;
  std::uint64_t items = 0;
  std::vector<std::string> items_json;  ///< each item's own JSON text; only when asked for
  /// Tools left out of items_json (but counted) because their annotations for headers are invalid:
  /// name and reason. Only where the era has such headers, and only when items are asked for.
  std::vector<std::string> dropped{};
  Media media = Media::none;
  Instant first_sent{};
  Instant done{};
};

/// How to reach an HTTP server as one caller.
struct HttpAccess {
  transport::Url url;
  transport::Headers headers;  ///< the caller's credential and whatever the plan adds
  std::size_t max_connections = 4;
  transport::Way way = {};  ///< TLS for https, a proxy if the plan names one
};

/// The two ways in which MCP travels over HTTP.
enum class HttpDialect {
  streamable,  ///< every message is a POST, and its answer comes back on it
  sse,         ///< HTTP+SSE of 2024-11-05: answers come on a stream of their own
};
/// "http" and "http+sse".
std::string_view to_string(HttpDialect dialect);

struct SessionOptions {
  /// nullptr: the newest handshake era is asked for, and whichever the server offers is spoken.
  /// Else a server that answers with another revision is an error.
  const protocol::Era* era = nullptr;
  std::string client_name = "weighbridge";
  std::string client_version;
  HttpDialect dialect = HttpDialect::streamable;  ///< over HTTP; detection finds it out
  /// What the server may ask back. Nothing: such questions are refused, and over HTTP no stream is
  /// kept open for them.
  protocol::ClientCapabilities capabilities{};
};

/// One caller's conversation with one server: the only place where protocol meets channel.
/// Everything happens on the poller's thread; the blocking calls run the poller until they are
/// done.
class Session {
 public:
  static std::unique_ptr<Session> over_http(os::Poller& poller, HttpAccess access,
                                            SessionOptions options);
  static std::unique_ptr<Session> over_stdio(os::Poller& poller,
                                             std::unique_ptr<transport::StdioChannel> channel,
                                             SessionOptions options);
  virtual ~Session() = default;

  /// Handshake where the era has one (else nothing is sent). Blocking.
  virtual Result<void> open(Instant deadline) = 0;
  using OnReply = std::function<void(Reply&&)>;
  /// Sends now; `on_reply` comes exactly once, from within the poller, at the latest at `deadline`
  /// (then hung). Only a session that is destroyed keeps silent. Ids are unique in the session.
  /// The handler may start, close or destroy the session.
  virtual void start(const Call& call, Instant deadline, OnReply on_reply) = 0;
  /// Blocking start. An interrupt ends the wait: the reply carries ErrorCode::interrupted.
  Reply call(const Call& call, Instant deadline);
  /// Every page of tools/list, resources/list, resources/templates/list or prompts/list. Blocking.
  /// ErrorCode::target when a page is not served, cannot be read, or the cursors go in circles.
  /// Whatever a server says of how long a listing may be kept (ttlMs), it is asked each time.
  Result<Listing> list(std::string_view method, Instant deadline, bool keep_items = false);
  /// What to call next when `reply` asks for input before it answers `call` (2026-07-28, multi
  /// round trip): the same again with our answers; nullopt when the reply is complete.
  /// ErrorCode::target when it asks for what was not declared. start() and call() never do this by
  /// themselves: one call is one request, and a measured one that needs a second has failed.
  [[nodiscard]] Result<std::optional<Call>> next_round(const Call& call, const Reply& reply) const;
  /// Every call in flight, blocking ones included, ends now with this error (not hung); nothing new
  /// can be started. For an interrupted run against a server that cannot simply be ended.
  virtual void abort(const Error& why) = 0;
  /// Ends a legacy session with DELETE (HTTP), or closes the child's stdin and waits until it has
  /// closed its stdout (stdio). Calls in flight fail. Blocking, at most `grace`. Idempotent.
  virtual void close(Duration grace) = 0;

  [[nodiscard]] virtual const protocol::Era& era() const = 0;
  /// Known after open() (handshake) or after detection; empty before.
  [[nodiscard]] virtual const ServerIdentity& server() const = 0;
  [[nodiscard]] virtual SessionCounters counters() const = 0;
  [[nodiscard]] virtual bool closed() const = 0;  ///< the channel is gone
  [[nodiscard]] virtual std::size_t in_flight() const = 0;
  /// The first words of what stood on the channel instead of a message (stdio: banners on stdout);
  /// empty when nothing did.
  [[nodiscard]] virtual std::string first_garbage() const { return {}; }
  /// open() was refused in the way a server of HTTP+SSE refuses a POST to its stream's URL: 400,
  /// 404 or 405, and no error of a stateless era in the body (2025-11-25, transports, "Backwards
  /// compatibility").
  [[nodiscard]] virtual bool refused_like_sse() const { return false; }
  /// What the server named this session (HTTP); empty when it named none.
  [[nodiscard]] virtual std::string session_id() const { return {}; }
  /// HTTP: closes the connections that carry nothing. The session stays.
  virtual void close_idle() {}
  /// stdio: hands over the channel as it stands, for someone who drives it without a session. This
  /// one is closed from then on, without the child noticing. nullopt over HTTP or once closed.
  virtual std::optional<transport::StdioEnds> release_channel() { return std::nullopt; }

 protected:
  virtual os::Poller& poller() = 0;
  [[nodiscard]] virtual protocol::ClientCapabilities capabilities() const { return {}; }
  /// Arguments travel as headers too, so a tool whose annotations are invalid must not be called.
  [[nodiscard]] virtual bool sends_param_headers() const { return false; }
  /// Names the server in error messages; empty where only the caller knows its name (a command).
  [[nodiscard]] virtual std::string where() const { return {}; }
};

/// Which era a server speaks, by discover first and the table in the specification of 2026-07-28.
struct Detected {
  const protocol::Era* era = nullptr;
  ServerIdentity server;
  std::string evidence;                           ///< one line: what was asked, what came back
  HttpDialect dialect = HttpDialect::streamable;  ///< over HTTP
};

/// `asked`: the plan's revision, or nullptr for "auto". On HTTP the same server is asked twice at
/// most, and when it refuses both, its URL is opened as a stream of HTTP+SSE. ErrorCode::target
/// when no known revision is spoken, the answer is garbage, or nothing comes.
Result<Detected> detect_over_http(os::Poller& poller, const HttpAccess& access,
                                  const protocol::Era* asked, const SessionOptions& options,
                                  Instant deadline);
/// `fresh` starts a new process and returns its channel: a legacy server may end when it is asked
/// to discover, so the fallback never reuses the process.
Result<Detected> detect_over_stdio(
    os::Poller& poller,
    const std::function<Result<std::unique_ptr<transport::StdioChannel>>()>& fresh,
    const protocol::Era* asked, const SessionOptions& options, Instant deadline);

}  // namespace weighbridge::client

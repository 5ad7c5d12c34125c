#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "os/poller.h"
#include "transport/http_message.h"
#include "transport/tls.h"
#include "transport/url.h"

namespace weighbridge::transport {

/// Receives one reply. Calls come on the poller's thread, from within the poller and never from
/// within send(), in this order: on_head, on_body…, then exactly one of on_complete and on_failure
/// (which may come without the others). After that the sink is not touched again. Interim replies
/// (1xx) are not shown. Any call may send, cancel or destroy the client.
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  virtual void on_head(int status, const Headers& headers) = 0;
  /// `piece` is decoded (no chunk framing) and valid only during the call.
  virtual void on_body(std::string_view piece, Instant at) = 0;
  virtual void on_complete(const ExchangeTimes& times) = 0;
  virtual void on_failure(const Error& error) = 0;
};

/// Keep-alive connections to one server for one caller. At most `max_connections` at once; further
/// requests wait in order. One send() per request from pre-rendered bytes; TCP_NODELAY; replies are
/// read through one buffer shared by the thread, so an idle connection costs under 300 bytes.
///
/// A reused connection that the server closed before the first byte of the reply is replaced and
/// the request sent again (once), because Node closes idle connections after five seconds; counted.
/// ExchangeTimes.sent stays the first attempt's: a server that hangs up is not to look like a late
/// driver. Every other failure is the sink's:
///   system     no connection (system_errno says why: refused, no descriptors, …)
///   closed     closed or reset before or amid the reply; the text says which
///   malformed  the reply is not HTTP/1.x
///   usage      the server's URL asks for https, and the way to it has no TLS
/// and, over https, what SecureStream::error tells.
class HttpClient {
 public:
  HttpClient(os::Poller& poller, Url server, std::size_t max_connections, Way way = {});
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  using RequestId = std::uint64_t;
  /// `bytes` from render_request. `sink` must outlive the exchange or its cancellation.
  RequestId send(std::string bytes, HttpSink& sink);
  /// Drops the exchange: its connection is closed, its sink is not called again. Nothing happens
  /// when it is over already.
  void cancel(RequestId request);
  void close_idle();

  [[nodiscard]] const Url& server() const;
  /// Bytes over all connections since the beginning, heads and framing included; over https those
  /// that were encrypted.
  [[nodiscard]] std::uint64_t bytes_read() const;
  [[nodiscard]] std::uint64_t bytes_written() const;
  [[nodiscard]] std::uint64_t connections_opened() const;
  [[nodiscard]] std::uint64_t resets_retried() const;

 private:
  class State;
  std::shared_ptr<State> state_;  // shared with the frames that are calling a sink
};

}  // namespace weighbridge::transport

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "os/poller.h"
#include "transport/http_message.h"

namespace weighbridge::transport {

struct HttpRequest {
  std::string method;
  std::string target;  ///< path and query as sent
  Headers headers;
  std::string body;
  std::string peer;  ///< the caller's address, without its port

  [[nodiscard]] std::string_view path() const;   ///< without the query
  [[nodiscard]] std::string_view query() const;  ///< after '?', or empty
};

/// A body in pieces, so that a listing of megabytes is shared by all replies and only the small
/// part that names the request's id is rendered per call.
class Body {
 public:
  Body() = default;
  Body(std::string text);  // NOLINT(google-explicit-constructor): a string is the usual body
  Body& add(std::string text);
  Body& add(std::shared_ptr<const std::string> shared);
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const std::vector<std::shared_ptr<const std::string>>& pieces() const {
    return pieces_;
  }

 private:
  std::vector<std::shared_ptr<const std::string>> pieces_;
};

/// The right to answer one request, now or later, on the poller's thread. Safe to keep after the
/// peer has gone or the server was destroyed: writes then do nothing. Dropped without an answer, it
/// answers 500 and closes. A reply to HEAD, a 204 and a 304 go out without their body, and an
/// HTTP/1.0 peer gets begin/write/end without chunks, ended by the close.
class HttpReply {
 public:
  virtual ~HttpReply() = default;
  /// Whole reply with Content-Length.
  virtual void send(int status, const Headers& headers, Body body) = 0;
  /// Chunked reply: head now, pieces later. Every call is sent at once, except that those made
  /// within the handler are joined into one write at its end.
  virtual void begin(int status, const Headers& headers) = 0;
  virtual void write(Body piece) = 0;
  virtual void end() = 0;
  /// Close the connection once what was written has been sent; before send() or begin() the head
  /// says so. Amid a chunked reply it leaves the reply truncated.
  virtual void close_after() = 0;
  [[nodiscard]] virtual bool peer_gone() const = 0;
  /// Called once if the peer goes (closes or resets its side) before the reply was ended; at once
  /// if it has gone already. Not called when the server is destroyed.
  virtual void on_peer_gone(std::function<void()> task) = 0;
};

/// HTTP/1.1 server on llhttp: keep-alive, pipelining in order, both body framings, limits that
/// answer 413 and 431; what is not HTTP gets 400 and is closed. One thread: the poller's.
///
/// The next request of a connection is looked at when the reply before it has been taken by the
/// kernel, so a peer that sends and never reads costs one reply's memory. No Date header: replies
/// to equal requests are equal bytes, which is what a fixture is for.
class HttpServer {
 public:
  struct Options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0 picks a free one
    std::size_t max_header_bytes = 64 * 1024;
    std::size_t max_body_bytes = 4 * 1024 * 1024;
    /// Called for every connection; what it returns lives as long as the connection does.
    std::function<std::shared_ptr<void>()> keep_for_connection = {};
  };
  using Handler = std::function<void(HttpRequest&&, std::shared_ptr<HttpReply>)>;

  static Result<std::unique_ptr<HttpServer>> listen(os::Poller& poller, const Options& options,
                                                    Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  /// Since the beginning.
  [[nodiscard]] std::uint64_t connections_accepted() const;
  /// Accept nothing more; connections close as their replies end.
  void stop_accepting();

 private:
  class State;
  explicit HttpServer(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // shared with the frames that are calling the handler
};

}  // namespace weighbridge::transport

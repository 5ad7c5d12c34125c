#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/fd.h"
#include "os/poller.h"
#include "transport/http_client.h"
#include "transport/http_server.h"

namespace weighbridge::transport::testing {

/// A poller and the wait that every test here needs. Half a minute is for a machine that is busy
/// with something else; a test that passes waits for microseconds.
class Loop {
 public:
  Loop();
  [[nodiscard]] os::Poller& poller() { return *poller_; }
  /// Runs until `done`; false when it never came.
  [[nodiscard]] bool until(const std::function<bool()>& done);
  /// Lets everything happen that is ready now or within a few rounds.
  void settle();

 private:
  std::unique_ptr<os::Poller> poller_;
};

/// A socket driven by hand from the test's own thread: the hostile peer. Blocking, with a limit.
class RawPeer {
 public:
  explicit RawPeer(os::Fd socket);
  /// To a server on 127.0.0.1.
  static RawPeer connect_to(std::uint16_t port);

  void write(std::string_view bytes) const;
  /// Exactly this many bytes, or fewer if the other side ends.
  [[nodiscard]] std::string read(std::size_t bytes) const;
  /// Up to and with `mark`, one byte at a time.
  [[nodiscard]] std::string read_until(std::string_view mark) const;
  /// Everything until the other side ends or resets.
  [[nodiscard]] std::string read_to_end() const;
  /// What is there now, without waiting.
  [[nodiscard]] std::string read_available() const;
  void end_writing() const;
  void close() { socket_.reset(); }
  /// Closes with a reset.
  void reset();
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  os::Fd socket_;
};

/// A server made of nothing but a listening socket.
class RawServer {
 public:
  RawServer();
  [[nodiscard]] RawPeer accept() const;
  [[nodiscard]] bool somebody_waits() const;
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] Url url() const;

 private:
  os::Fd listener_;
  std::uint16_t port_ = 0;
};

/// Keeps what it is told, and checks the order it is told in.
class KeepingSink : public HttpSink {
 public:
  void on_head(int status, const Headers& headers) override;
  void on_body(std::string_view piece, Instant at) override;
  void on_complete(const ExchangeTimes& times) override;
  void on_failure(const Error& error) override;

  [[nodiscard]] bool over() const { return times.has_value() || failure.has_value(); }

  int status = 0;
  Headers headers;
  std::string body;
  std::optional<ExchangeTimes> times;
  std::optional<Error> failure;

  // Called after the keeping, for tests of what a sink may do.
  std::function<void()> then_on_head;
  std::function<void()> then_on_body;
  std::function<void()> then_at_end;
};

std::string get(std::string_view target);

std::string read_fixture(const std::string& name);

}  // namespace weighbridge::transport::testing

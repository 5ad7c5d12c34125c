#include "target/detail/readiness.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "os/interrupt.h"
#include "os/network.h"
#include "os/real_clock.h"
#include "target/detail/launch.h"
#include "transport/http_client.h"

namespace weighbridge::target::detail {
namespace {

constexpr Duration kNobodyListens = 1ms;
constexpr Duration kNotReady = 20ms;
/// One question's own limit: a server that accepts and then stalls is asked again.
constexpr Duration kOneAnswer = 5s;

/// What one question brought.
struct Answer {
  bool good = false;
  bool connected = false;
  std::string words;  ///< why not
};

/// Keeps the status of one exchange; the body is of no interest.
class StatusSink final : public transport::HttpSink {
 public:
  void on_head(int status, const transport::Headers&) override { status_ = status; }
  void on_body(std::string_view, Instant) override {}
  void on_complete(const transport::ExchangeTimes&) override { ended_ = true; }
  void on_failure(const Error& error) override {
    ended_ = true;
    error_ = error;
  }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] Answer answer() const {
    if (error_) return {false, status_ != 0, error_->what};
    return {status_ >= 200 && status_ < 300, true, fmt::format("HTTP {}", status_)};
  }

 private:
  int status_ = 0;
  bool ended_ = false;
  std::optional<Error> error_;
};

Answer ask_path(os::Poller& poller, const ReadinessQuestion& question,
                const std::function<bool()>& over, Instant deadline) {
  StatusSink sink;
  transport::HttpClient client(poller, question.access.url, 1, question.access.way);
  const auto request = client.send(
      transport::render_request("GET", question.path, question.access.url.authority(), {}, {}),
      sink);
  if (!pump_until(poller, [&] { return sink.ended() || over(); }, deadline) || !sink.ended()) {
    client.cancel(request);
    return {false, true, "no answer"};
  }
  return sink.answer();
}

/// Whether the port accepts. The connection is closed at once.
Answer knock(os::Poller& poller, const ReadinessQuestion& question, Instant deadline) {
  auto socket = os::connect_tcp(question.access.url.host, question.access.url.port);
  if (!socket) return {false, false, socket.error().what};
  struct Writable final : os::Poller::Handler {
    bool ready = false;
    void on_ready(std::uint32_t) override { ready = true; }
  } writable;
  if (const auto added = poller.add(socket->get(), EPOLLOUT, writable); !added)
    return {false, false, added.error().what};
  poller.run_until([&] { return writable.ready; }, deadline);
  poller.remove(socket->get());
  const int error = os::socket_error(socket->get());
  if (!writable.ready || error != 0) return {false, false, "nobody accepts connections"};
  return {true, true, {}};
}

Answer ask_protocol(os::Poller& poller, const ReadinessQuestion& question, Instant deadline) {
  Answer open = knock(poller, question, deadline);
  if (!open.good) return open;
  client::SessionOptions options;
  options.era = question.era;
  options.dialect = question.dialect;
  auto session = client::Session::over_http(poller, question.access, options);
  if (question.era->handshake) {
    const auto opened = session->open(deadline);
    session->close(1s);
    return opened ? Answer{true, true, {}} : Answer{false, true, opened.error().what};
  }
  const client::Reply reply = session->call({"server/discover", "{}", {}}, deadline);
  session->close(1s);
  if (reply.error) return {false, true, reply.error->what};
  if (reply.hung) return {false, true, "no answer"};
  return {reply.http_status == 200, true, fmt::format("HTTP {}", reply.http_status)};
}

}  // namespace

Result<Instant> wait_until_ready(os::Poller& poller, const ReadinessQuestion& question,
                                 const std::function<bool()>& gone, Instant deadline) {
  const auto over = [&] { return gone() || os::interrupted(); };
  Answer last;
  while (!over() && os::now() < deadline) {
    const Instant limit = std::min(deadline, os::now() + kOneAnswer);
    if (!question.path.empty()) {
      last = ask_path(poller, question, over, limit);
    } else if (question.era != nullptr) {
      last = ask_protocol(poller, question, limit);
    } else {
      last = knock(poller, question, limit);
    }
    if (last.good) return os::now();
    pump_until(poller, over,
               std::min(deadline, os::now() + (last.connected ? kNotReady : kNobodyListens)));
  }
  if (os::interrupted())
    return fail(ErrorCode::interrupted, "interrupted while the server was starting");
  if (gone()) return fail(ErrorCode::closed, "the server ended before it was ready");
  return fail(ErrorCode::target,
              fmt::format("the server did not become ready in time (last answer: {})", last.words),
              {}, "Give it more time with --ready-timeout, or check the url and the ready path");
}

}  // namespace weighbridge::target::detail

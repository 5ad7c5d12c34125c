#include "transport/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <list>
#include <utility>
#include <vector>

#include "os/network.h"
#include "transport/detail/client_connection.h"

namespace weighbridge::transport {

using detail::ClientConnection;
using detail::Exchange;

namespace {

std::string address_of(const Url& url) {
  const bool bare_v6 = url.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", bare_v6 ? "[" : "", url.host, bare_v6 ? "]" : "", url.port);
}

}  // namespace

class HttpClient::State final : public detail::ClientPool,
                                public std::enable_shared_from_this<State> {
 public:
  State(os::Poller& poller, Url server, std::size_t max_connections, Way way)
      : poller_(poller),
        server_(std::move(server)),
        way_(std::move(way)),
        max_connections_(std::max<std::size_t>(max_connections, 1)) {}

  RequestId send(std::string bytes, HttpSink& sink);
  void cancel(RequestId request);
  void close_idle();
  void shut_down();

  [[nodiscard]] const Url& server() const { return server_; }
  [[nodiscard]] std::string address() const override {
    if (!way_.proxy) return address_of(server_);
    return fmt::format("{} (through the proxy {})", address_of(server_), address_of(*way_.proxy));
  }
  [[nodiscard]] bool reached() const override { return reached_; }

  void completed(ClientConnection& connection, Exchange exchange, const ExchangeTimes& times,
                 bool reusable) override;
  void failed(ClientConnection& connection, Exchange exchange, Error error,
              bool unanswered) override;
  void not_connected(ClientConnection& connection, Exchange exchange, int error) override;
  void idle_closed(ClientConnection& connection) override { drop(connection); }
  void count_opened() override { ++connections_opened; }
  void count_read(std::size_t bytes) override { bytes_read += bytes; }
  void count_written(std::size_t bytes) override { bytes_written += bytes; }

  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t connections_opened = 0;
  std::uint64_t resets_retried = 0;

 private:
  /// A failure that arose within send() or cancel(), to be told from the loop.
  struct Failure {
    RequestId id;
    HttpSink* sink;
    Error error;
  };

  void assign(Exchange exchange);
  void open(Exchange exchange);
  void pump();
  void drop(ClientConnection& connection);
  void fail_later(const Exchange& exchange, Error error);
  void tell_failure();
  [[nodiscard]] const Url& peer() const { return way_.proxy ? *way_.proxy : server_; }
  [[nodiscard]] const std::string& host() const;
  bool try_other_loopback();

  os::Poller& poller_;
  Url server_;
  Way way_;
  std::size_t max_connections_;
  RequestId last_id_ = 0;
  std::vector<std::shared_ptr<ClientConnection>> connections_;
  std::vector<ClientConnection*> idle_;  // the most recently used last, and taken first
  std::list<Exchange> waiting_;
  std::list<Failure> failures_;
  bool ipv6_loopback_ = false;
  bool reached_ = false;
};

// --- requests ----------------------------------------------------------------------------------

HttpClient::RequestId HttpClient::State::send(std::string bytes, HttpSink& sink) {
  // A proxy that forwards plain HTTP is told the whole URL (RFC 9112, 3.2.2).
  if (way_.proxy && server_.scheme == "http")
    bytes.insert(bytes.find(' ') + 1, "http://" + server_.authority());
  Exchange exchange{.id = ++last_id_, .bytes = std::move(bytes), .sink = &sink};
  if (server_.scheme != "http" && !way_.tls) {
    fail_later(exchange, fail(ErrorCode::usage, "https is not spoken here", server_.authority(),
                              "Give an http:// URL")
                             .error());
  } else if (!idle_.empty() || connections_.size() < max_connections_) {
    assign(std::move(exchange));
  } else {
    waiting_.push_back(std::move(exchange));
  }
  return last_id_;
}

void HttpClient::State::assign(Exchange exchange) {
  if (idle_.empty()) return open(std::move(exchange));
  ClientConnection* const connection = idle_.back();
  idle_.pop_back();
  connection->start(std::move(exchange));
}

void HttpClient::State::open(Exchange exchange) {
  auto socket = os::connect_tcp(host(), peer().port);
  if (!socket) return fail_later(exchange, socket.error());
  std::unique_ptr<SecureStream> stream;
  if (server_.scheme != "http")
    stream = way_.tls->over(socket->get(), server_, way_.proxy.has_value());
  auto connection =
      std::make_shared<ClientConnection>(poller_, *this, std::move(*socket), std::move(stream));
  const RequestId id = exchange.id;
  HttpSink* const sink = exchange.sink;
  if (auto watched = connection->connect(std::move(exchange)); !watched)
    return fail_later({.id = id, .sink = sink}, watched.error());
  connections_.push_back(std::move(connection));
}

void HttpClient::State::pump() {
  while (!waiting_.empty() && (!idle_.empty() || connections_.size() < max_connections_)) {
    Exchange next = std::move(waiting_.front());
    waiting_.pop_front();
    assign(std::move(next));
  }
}

void HttpClient::State::cancel(RequestId request) {
  failures_.remove_if([&](const Failure& failure) { return failure.id == request; });
  if (waiting_.remove_if([&](const Exchange& e) { return e.id == request; }) > 0) return;
  const auto busy = std::ranges::find(connections_, request, &ClientConnection::request);
  if (busy == connections_.end()) return;
  drop(**busy);
  pump();
}

void HttpClient::State::close_idle() {
  while (!idle_.empty()) drop(*idle_.back());
}

void HttpClient::State::shut_down() {
  waiting_.clear();
  failures_.clear();
  idle_.clear();
  for (const auto& connection : connections_) connection->close();
  connections_.clear();
}

void HttpClient::State::drop(ClientConnection& connection) {
  std::erase(idle_, &connection);
  connection.close();
  // Last, because it may free the connection (the frames that use it hold it themselves).
  std::erase_if(connections_, [&](const auto& each) { return each.get() == &connection; });
}

// --- what connections report -------------------------------------------------------------------

void HttpClient::State::completed(ClientConnection& connection, Exchange exchange,
                                  const ExchangeTimes& times, bool reusable) {
  const auto keep = shared_from_this();
  reached_ = true;
  if (reusable) {
    idle_.push_back(&connection);
  } else {
    drop(connection);
  }
  // Before the sink, so that its work does not delay a request that has waited already.
  pump();
  exchange.sink->on_complete(times);
}

void HttpClient::State::failed(ClientConnection& connection, Exchange exchange, Error error,
                               bool unanswered) {
  const auto keep = shared_from_this();
  drop(connection);
  if (unanswered && !exchange.retried) {
    exchange.retried = true;
    ++resets_retried;
    // On a connection of its own: the other idle ones are likely to be as stale.
    return open(std::move(exchange));
  }
  pump();
  exchange.sink->on_failure(error);
}

void HttpClient::State::not_connected(ClientConnection& connection, Exchange exchange, int error) {
  const auto keep = shared_from_this();
  drop(connection);
  if (try_other_loopback()) return open(std::move(exchange));
  pump();
  if (!way_.proxy)
    return exchange.sink->on_failure(system_error("cannot connect to " + address(), error));
  Error failure = system_error("cannot connect to the proxy " + address_of(*way_.proxy), error);
  failure.remedy = "Check its address, or leave the proxy out";
  exchange.sink->on_failure(failure);
}

const std::string& HttpClient::State::host() const {
  static const std::string kIpv4 = "127.0.0.1";
  static const std::string kIpv6 = "::1";
  if (peer().host != "localhost") return peer().host;
  return ipv6_loopback_ ? kIpv6 : kIpv4;
}

/// "localhost" is two addresses, and a server may listen on either one alone.
bool HttpClient::State::try_other_loopback() {
  if (peer().host != "localhost" || reached_ || ipv6_loopback_) return false;
  ipv6_loopback_ = true;
  return true;
}

void HttpClient::State::fail_later(const Exchange& exchange, Error error) {
  failures_.push_back({.id = exchange.id, .sink = exchange.sink, .error = std::move(error)});
  poller_.at(Instant{}, [weak = weak_from_this()] {
    if (const auto state = weak.lock()) state->tell_failure();
  });
}

/// One a call: a sink that answers a failure by sending again must not keep the loop in here.
void HttpClient::State::tell_failure() {
  if (failures_.empty()) return;  // cancelled
  const Failure failure = std::move(failures_.front());
  failures_.pop_front();
  failure.sink->on_failure(failure.error);
}

// --- the handle --------------------------------------------------------------------------------

HttpClient::HttpClient(os::Poller& poller, Url server, std::size_t max_connections, Way way)
    : state_(std::make_shared<State>(poller, std::move(server), max_connections, std::move(way))) {}

HttpClient::~HttpClient() {
  state_->shut_down();
}

HttpClient::RequestId HttpClient::send(std::string bytes, HttpSink& sink) {
  return state_->send(std::move(bytes), sink);
}
void HttpClient::cancel(RequestId request) {
  state_->cancel(request);
}
void HttpClient::close_idle() {
  state_->close_idle();
}
const Url& HttpClient::server() const {
  return state_->server();
}
std::uint64_t HttpClient::bytes_read() const {
  return state_->bytes_read;
}
std::uint64_t HttpClient::bytes_written() const {
  return state_->bytes_written;
}
std::uint64_t HttpClient::connections_opened() const {
  return state_->connections_opened;
}
std::uint64_t HttpClient::resets_retried() const {
  return state_->resets_retried;
}

}  // namespace weighbridge::transport

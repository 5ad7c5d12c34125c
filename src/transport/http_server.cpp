#include "transport/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "os/network.h"
#include "os/real_clock.h"
#include "transport/detail/server_connection.h"

namespace weighbridge::transport {

using detail::ServerConnection;
using detail::ServerContext;

namespace {

/// Without the port; empty for what is no IP address.
std::string address_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address.ss_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  if (address.ss_family == AF_INET6)
    bytes = &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (bytes == nullptr ||
      ::inet_ntop(address.ss_family, bytes, text.data(), text.size()) == nullptr)
    return {};
  return text.data();
}

}  // namespace

std::string_view HttpRequest::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view HttpRequest::query() const {
  const std::size_t mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

Body::Body(std::string text) {
  add(std::move(text));
}

Body& Body::add(std::string text) {
  return add(std::make_shared<const std::string>(std::move(text)));
}

Body& Body::add(std::shared_ptr<const std::string> shared) {
  if (shared && !shared->empty()) pieces_.push_back(std::move(shared));
  return *this;
}

std::size_t Body::size() const {
  std::size_t total = 0;
  for (const auto& piece : pieces_) total += piece->size();
  return total;
}

/// The listener; connections live in the context.
class HttpServer::State final : public os::Poller::Handler,
                                public std::enable_shared_from_this<State> {
 public:
  State(os::Poller& poller, const Options& options, HttpServer::Handler handler, os::Fd listener,
        std::uint16_t port)
      : context_(std::make_shared<ServerContext>(
            ServerContext{.poller = poller, .options = options, .handler = std::move(handler)})),
        listener_(std::move(listener)),
        port_(port) {}

  Result<void> start() { return context_->poller.add(listener_.get(), EPOLLIN, *this); }
  void stop_accepting();
  void shut_down();

  void on_ready(std::uint32_t events) override;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::size_t connections() const { return context_->connections.size(); }
  [[nodiscard]] std::uint64_t connections_accepted() const { return accepted_; }

 private:
  void welcome(os::Fd socket, std::string peer);
  void pause_accepting();
  void close_listener();

  std::shared_ptr<ServerContext> context_;
  os::Fd listener_;
  std::uint16_t port_;
  std::uint64_t accepted_ = 0;
};

void HttpServer::State::on_ready(std::uint32_t /*events*/) {
  // Bounded, so that a flood of callers does not starve those who are being served.
  constexpr int kMostAtOnce = 128;
  for (int i = 0; i < kMostAtOnce; ++i) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    os::Fd socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from), &size,
                            SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.valid()) {
      welcome(std::move(socket), address_text(from));
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      return pause_accepting();
    if (errno == EAGAIN) return;
    // Anything else is the fate of one caller (ECONNABORTED): on to the next.
  }
}

void HttpServer::State::welcome(os::Fd socket, std::string peer) {
  ++accepted_;
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto connection =
      std::make_shared<ServerConnection>(context_, std::move(socket), std::move(peer));
  if (!connection->open()) return;
  if (context_->options.keep_for_connection)
    connection->keep(context_->options.keep_for_connection());
  ServerConnection* const key = connection.get();
  context_->connections.emplace(key, std::move(connection));
}

/// Out of descriptors: the listener stays readable, so watching on would spin.
void HttpServer::State::pause_accepting() {
  context_->poller.remove(listener_.get());
  context_->poller.at(os::now() + 100ms, [weak = weak_from_this()] {
    const auto state = weak.lock();
    if (!state || !state->listener_.valid()) return;
    if (!state->start()) state->pause_accepting();
  });
}

void HttpServer::State::close_listener() {
  if (!listener_.valid()) return;
  context_->poller.remove(listener_.get());
  listener_.reset();
}

void HttpServer::State::stop_accepting() {
  close_listener();
  context_->stopping = true;
  const auto connections = context_->connections;  // closing changes the original
  for (const auto& [key, connection] : connections) connection->close_if_idle();
}

void HttpServer::State::shut_down() {
  close_listener();
  const auto connections = std::exchange(context_->connections, {});
  for (const auto& [key, connection] : connections) connection->close();
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(os::Poller& poller, const Options& options,
                                                       Handler handler) {
  WB_TRY(os::Fd listener, os::listen_tcp(options.address, options.port));
  WB_TRY(const std::uint16_t port, os::local_port(listener.get()));
  auto state =
      std::make_shared<State>(poller, options, std::move(handler), std::move(listener), port);
  WB_CHECK(state->start());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

HttpServer::HttpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

HttpServer::~HttpServer() {
  state_->shut_down();
}

std::uint16_t HttpServer::port() const {
  return state_->port();
}
std::size_t HttpServer::connections() const {
  return state_->connections();
}
std::uint64_t HttpServer::connections_accepted() const {
  return state_->connections_accepted();
}
void HttpServer::stop_accepting() {
  state_->stop_accepting();
}

}  // namespace weighbridge::transport

#include "transport/detail/server_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/words.h"
#include "os/real_clock.h"
#include "transport/detail/read_buffer.h"
#include "transport/detail/render.h"

namespace weighbridge::transport::detail {
namespace {

// What a peer may send ahead of the reply it waits for before it is no longer read.
constexpr std::size_t kMaxPendingBytes = 64 * 1024;
// How long a peer whose connection we end may go on sending. Closing with bytes unread makes the
// kernel reset the connection, which can destroy our last reply before the peer has read it.
constexpr Duration kGoodbye = 2s;
constexpr int kStop = -1;  // to llhttp: read no further

}  // namespace

// --- the parser's callbacks ------------------------------------------------------------------

struct ServerConnection::Callbacks {
  static ServerConnection& self(llhttp_t* parser) {
    return *static_cast<ServerConnection*>(parser->data);
  }
  static int on_message_begin(llhttp_t* parser) { return self(parser).begin_request(); }
  static int on_url(llhttp_t* parser, const char* at, std::size_t length) {
    self(parser).request_.target.append(at, length);
    return self(parser).count_head(length);
  }
  static int on_header_field(llhttp_t* parser, const char* at, std::size_t length) {
    ServerConnection& connection = self(parser);
    if (!connection.head_done_) {  // a trailer is counted and dropped
      Headers& headers = connection.request_.headers;
      if (headers.empty() || connection.in_value_) headers.emplace_back();
      connection.in_value_ = false;
      headers.back().name.append(at, length);
    }
    return connection.count_head(length);
  }
  static int on_header_value(llhttp_t* parser, const char* at, std::size_t length) {
    ServerConnection& connection = self(parser);
    if (!connection.head_done_) {
      connection.in_value_ = true;
      connection.request_.headers.back().value.append(at, length);
    }
    return connection.count_head(length);
  }
  static int on_headers_complete(llhttp_t* parser) { return self(parser).head_ended(); }
  static int on_body(llhttp_t* parser, const char* at, std::size_t length) {
    return self(parser).body_piece({at, length});
  }
  static int on_message_complete(llhttp_t* parser) {
    self(parser).shape_.keep_alive = llhttp_should_keep_alive(parser) != 0;
    return HPE_PAUSED;  // what follows is the next request's
  }
};

const llhttp_settings_t& ServerConnection::settings() {
  static const llhttp_settings_t kSettings = [] {
    llhttp_settings_t settings;
    llhttp_settings_init(&settings);
    settings.on_message_begin = Callbacks::on_message_begin;
    settings.on_url = Callbacks::on_url;
    settings.on_header_field = Callbacks::on_header_field;
    settings.on_header_value = Callbacks::on_header_value;
    settings.on_headers_complete = Callbacks::on_headers_complete;
    settings.on_body = Callbacks::on_body;
    settings.on_message_complete = Callbacks::on_message_complete;
    return settings;
  }();
  return kSettings;
}

int ServerConnection::stop_with(int status) {
  refusal_ = status;
  return kStop;
}

int ServerConnection::begin_request() {
  request_ = {};
  request_.headers.reserve(8);
  head_bytes_ = 0;
  in_request_ = true;
  head_done_ = false;
  in_value_ = false;
  return 0;
}

int ServerConnection::count_head(std::size_t bytes) {
  head_bytes_ += bytes;
  return head_bytes_ > context_->options.max_header_bytes ? stop_with(431) : 0;
}

int ServerConnection::head_ended() {
  head_done_ = true;
  // White space behind a value is no part of it (RFC 9110, 5.5); llhttp drops only what is before.
  for (auto& [name, value] : request_.headers) value.erase(value.find_last_not_of(" \t") + 1);
  request_.method = llhttp_method_name(static_cast<llhttp_method_t>(parser_.method));
  shape_.http_1_0 = parser_.http_major == 1 && parser_.http_minor == 0;
  shape_.head_request = parser_.method == HTTP_HEAD;
  // An offer to switch protocols (curl makes one for HTTP/2) may be ignored, and is.
  parser_.upgrade = 0;

  const auto is_host = [](const Header& h) { return equals_ignoring_case(h.name, "host"); };
  const auto hosts = std::ranges::count_if(request_.headers, is_host);
  if (parser_.http_major != 1 || hosts > 1 || (hosts == 0 && !shape_.http_1_0))
    return stop_with(400);
  if (parser_.content_length > context_->options.max_body_bytes) return stop_with(413);
  request_.body.reserve(parser_.content_length);

  if (const auto expected = find_header(request_.headers, "expect")) {
    if (!equals_ignoring_case(*expected, "100-continue")) return stop_with(417);
    output_.add("HTTP/1.1 100 Continue\r\n\r\n");
    flush();
    if (closed_) return kStop;
  }
  return 0;
}

int ServerConnection::body_piece(std::string_view piece) {
  if (request_.body.size() + piece.size() > context_->options.max_body_bytes) return stop_with(413);
  request_.body.append(piece);
  return 0;
}

// --- life ------------------------------------------------------------------------------------

ServerConnection::ServerConnection(std::shared_ptr<ServerContext> context, os::Fd socket,
                                   std::string peer)
    : context_(std::move(context)), socket_(std::move(socket)), peer_(std::move(peer)) {
  llhttp_init(&parser_, HTTP_REQUEST, &settings());
  parser_.data = this;
}

Result<void> ServerConnection::open() {
  events_ = EPOLLIN;
  return context_->poller.add(socket_.get(), events_, *this);
}

void ServerConnection::close() {
  if (closed_) return;
  closed_ = true;
  if (reply_ != nullptr) std::exchange(reply_, nullptr)->detach();
  context_->poller.remove(socket_.get());
  socket_.reset();
  kept_.reset();
  context_->connections.erase(this);  // last: may free this
}

void ServerConnection::close_if_idle() {
  if (!in_request_ && !answering() && output_.empty() && pending_.empty() && !corked_) close();
}

void ServerConnection::close_when_sent() {
  close_when_sent_ = true;
  flush();
}

void ServerConnection::forget(const ServerReply& reply) {
  if (reply_ == &reply) reply_ = nullptr;
}

void ServerConnection::peer_left() {
  ServerReply* const reply = answering() ? std::exchange(reply_, nullptr) : nullptr;
  close();
  if (reply != nullptr) reply->peer_left();
}

/// Ends our side and waits for the peer to end its own.
void ServerConnection::say_goodbye() {
  if (peer_done_) return close();
  saying_goodbye_ = true;
  pending_.clear();
  ::shutdown(socket_.get(), SHUT_WR);
  watch();
  context_->poller.at(os::now() + kGoodbye, [weak = weak_from_this()] {
    if (const auto connection = weak.lock()) connection->close();
  });
}

void ServerConnection::watch() {
  std::uint32_t events = 0;
  if (!peer_done_) {
    // A peer that is too far ahead is not read, but its leaving is still noticed.
    events = pending_.size() < kMaxPendingBytes ? EPOLLIN : EPOLLRDHUP;
  }
  if (!output_.empty()) events |= EPOLLOUT;
  if (events == events_) return;
  events_ = events;
  // Fails only for a descriptor that is not watched, which an open connection's is.
  (void)context_->poller.change(socket_.get(), events);
}

// --- bytes in and out --------------------------------------------------------------------------

void ServerConnection::on_ready(std::uint32_t events) {
  // A handler that runs the poller is not given its own connection's next request in between.
  if (corked_) return;
  const auto keep = shared_from_this();
  if ((events & EPOLLOUT) != 0) flush();
  if (closed_) return;
  if ((events & EPOLLIN) != 0) return read_some();
  if ((events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) != 0) peer_left();
}

void ServerConnection::read_some() {
  const ReadBuffer buffer;
  const ssize_t count = ::recv(socket_.get(), buffer.data(), ReadBuffer::kSize, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) return peer_left();
  if (count == 0) {
    // Ending one's own side alone is taken for leaving, as Node's and Go's servers take it; but a
    // reply that is ready is still sent.
    peer_done_ = true;
    if (answering() || output_.empty()) return peer_left();
    return watch();
  }
  if (saying_goodbye_) return;
  const std::string_view data(buffer.data(), static_cast<std::size_t>(count));
  if (ready_for_request() && pending_.empty()) return feed(data);
  pending_.append(data);
  watch();
}

bool ServerConnection::ready_for_request() const {
  return !closed_ && !close_when_sent_ && !answering() && output_.empty();
}

void ServerConnection::feed(std::string_view data) {
  while (!data.empty() && ready_for_request()) {
    const llhttp_errno_t code = llhttp_execute(&parser_, data.data(), data.size());
    if (closed_) return;
    if (code == HPE_OK) return watch();
    if (code != HPE_PAUSED) return refuse(code);
    const char* const end = llhttp_get_error_pos(&parser_);
    data.remove_prefix(static_cast<std::size_t>(end - data.data()));
    llhttp_reset(&parser_);
    dispatch();
  }
  if (closed_) return;
  if (!close_when_sent_) pending_.assign(data);
  watch();
}

void ServerConnection::feed_pending() {
  if (!ready_for_request()) return;
  const std::string data = std::exchange(pending_, {});
  feed(data);
}

void ServerConnection::dispatch() {
  auto reply = std::make_shared<ServerReply>(*this, shape_);
  if (reply_ != nullptr) reply_->detach();
  reply_ = reply.get();
  in_request_ = false;
  request_.peer = peer_;
  const auto context = context_;  // the handler may destroy the server
  corked_ = true;
  context->handler(std::exchange(request_, {}), std::move(reply));
  corked_ = false;
  if (!closed_) flush();
}

void ServerConnection::refuse(llhttp_errno_t code) {
  const int status = refusal_ != 0 ? refusal_ : 400;
  std::string text(reason_phrase(status));
  const char* const reason = refusal_ == 0 ? llhttp_get_error_reason(&parser_) : nullptr;
  if (reason != nullptr) text += fmt::format(": {} ({})", reason, llhttp_errno_name(code));
  text += '\n';
  std::string reply;
  append_status_line(reply, status);
  append_header(reply, "Content-Type", "text/plain");
  append_header(reply, "Content-Length", std::to_string(text.size()));
  append_header(reply, "Connection", "close");
  output_.add(reply + "\r\n" + text);
  in_request_ = false;
  close_when_sent();
}

void ServerConnection::flush() {
  if (corked_ || closed_ || saying_goodbye_) return;
  if (output_.flush(socket_.get()) == OutputQueue::Flushed::broken) return peer_left();
  watch();
  if (output_.empty()) settle();
}

/// Everything written has gone: what next?
void ServerConnection::settle() {
  if (answering()) return;
  if (close_when_sent_) return say_goodbye();
  if (peer_done_) return close();
  if (context_->stopping) close_if_idle();
  if (closed_ || pending_.empty()) return;
  // From the loop, since this may run within the handler's own call to its reply.
  context_->poller.at(Instant{}, [weak = weak_from_this()] {
    if (const auto connection = weak.lock()) connection->feed_pending();
  });
}

}  // namespace weighbridge::transport::detail

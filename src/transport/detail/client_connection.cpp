#include "transport/detail/client_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "os/network.h"
#include "os/real_clock.h"
#include "transport/detail/read_buffer.h"

namespace weighbridge::transport::detail {
namespace {

// A head is kept while it is read, so it has a bound: a server that never ends its headers must not
// take the driver's memory.
constexpr std::size_t kMaxHeadBytes = 256 * 1024;
constexpr int kStop = -1;  // to llhttp: read no further

}  // namespace

// --- the parser's callbacks ------------------------------------------------------------------

/// Static functions with access to the connection. Each answers kStop once nobody waits for the
/// exchange any more, because a sink may cancel it or destroy the client from within its call.
struct ClientConnection::Callbacks {
  static ClientConnection& self(llhttp_t* parser) {
    return *static_cast<ClientConnection*>(parser->data);
  }
  static int verdict(const ClientConnection& connection) {
    return connection.exchange_.sink == nullptr ? kStop : 0;
  }
  static int on_header_field(llhttp_t* parser, const char* at, std::size_t length) {
    ClientConnection& connection = self(parser);
    if (!connection.count_head(length)) return kStop;
    connection.header_name({at, length});
    return 0;
  }
  static int on_header_value(llhttp_t* parser, const char* at, std::size_t length) {
    ClientConnection& connection = self(parser);
    if (!connection.count_head(length)) return kStop;
    connection.header_value({at, length});
    return 0;
  }
  static int on_headers_complete(llhttp_t* parser) {
    ClientConnection& connection = self(parser);
    const std::unique_ptr<Head> head = std::move(connection.head_);
    if (parser->status_code / 100 == 1) return parser->status_code == 101 ? kStop : 0;
    connection.in_body_ = true;
    static const Headers kNone;
    connection.exchange_.sink->on_head(parser->status_code, head ? head->headers : kNone);
    return verdict(connection);
  }
  static int on_body(llhttp_t* parser, const char* at, std::size_t length) {
    ClientConnection& connection = self(parser);
    connection.exchange_.sink->on_body({at, length}, connection.read_at_);
    return verdict(connection);
  }
  static int on_message_complete(llhttp_t* parser) {
    if (parser->status_code / 100 == 1) return 0;
    self(parser).reply_whole_ = true;
    return HPE_PAUSED;  // what follows is not part of this reply
  }
};

const llhttp_settings_t& ClientConnection::settings() {
  static const llhttp_settings_t kSettings = [] {
    llhttp_settings_t settings;
    llhttp_settings_init(&settings);
    settings.on_header_field = Callbacks::on_header_field;
    settings.on_header_value = Callbacks::on_header_value;
    settings.on_headers_complete = Callbacks::on_headers_complete;
    settings.on_body = Callbacks::on_body;
    settings.on_message_complete = Callbacks::on_message_complete;
    return settings;
  }();
  return kSettings;
}

bool ClientConnection::count_head(std::size_t bytes) {
  if (!head_) {
    head_ = std::make_unique<Head>();
    head_->headers.reserve(8);
  }
  head_->bytes += bytes;
  head_too_long_ = head_->bytes > kMaxHeadBytes;
  return !head_too_long_;
}

void ClientConnection::header_name(std::string_view piece) {
  if (in_body_) return;  // a trailer: nothing here needs one
  Headers& headers = head_->headers;
  if (headers.empty() || head_->in_value) headers.emplace_back();
  head_->in_value = false;
  headers.back().name.append(piece);
}

void ClientConnection::header_value(std::string_view piece) {
  if (in_body_) return;
  head_->in_value = true;
  head_->headers.back().value.append(piece);
}

// --- life ------------------------------------------------------------------------------------

ClientConnection::ClientConnection(os::Poller& poller, ClientPool& pool, os::Fd socket,
                                   std::unique_ptr<SecureStream> stream)
    : poller_(poller), pool_(pool), socket_(std::move(socket)), stream_(std::move(stream)) {
  llhttp_init(&parser_, HTTP_RESPONSE, &settings());
  parser_.data = this;
}

Result<void> ClientConnection::connect(Exchange first) {
  events_ = EPOLLOUT;
  WB_CHECK(poller_.add(socket_.get(), events_, *this));
  exchange_ = std::move(first);
  return {};
}

void ClientConnection::start(Exchange exchange) {
  exchange_ = std::move(exchange);
  phase_ = Phase::busy;
  written_ = 0;
  write_failed_ = false;
  in_body_ = false;
  reply_whole_ = false;
  first_byte_ = {};
  llhttp_reset(&parser_);
  write_some();
}

void ClientConnection::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  exchange_ = {};
  if (stream_) stream_->say_goodbye();
  poller_.remove(socket_.get());
  socket_.reset();
}

void ClientConnection::watch(std::uint32_t events) {
  if (events == events_) return;
  events_ = events;
  // Fails only for a descriptor that is not watched, which an open connection's is.
  (void)poller_.change(socket_.get(), events);
}

void ClientConnection::on_ready(std::uint32_t events) {
  // A sink that runs the poller from within on_head or on_body must not re-enter its own parser.
  if (parsing_) return;
  const auto keep = shared_from_this();
  if (phase_ == Phase::connecting) return connected();
  if (phase_ == Phase::securing) return secure();
  if ((events & EPOLLOUT) != 0 && phase_ == Phase::busy) write_some();
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0 && phase_ != Phase::closed) read_some();
}

void ClientConnection::connected() {
  const int error = os::socket_error(socket_.get());
  if (error != 0) return pool_.not_connected(*this, take_exchange(), error);
  if (!stream_) return stand();
  phase_ = Phase::securing;
  secure();
}

void ClientConnection::secure() {
  switch (stream_->open()) {
    case SecureStream::Step::done:
      return stand();
    case SecureStream::Step::want_read:
      return watch(EPOLLIN);
    case SecureStream::Step::want_write:
      return watch(EPOLLOUT);
    case SecureStream::Step::ended:
    case SecureStream::Step::failed:
      return pool_.failed(*this, take_exchange(), stream_->error(), /*unanswered=*/false);
  }
}

void ClientConnection::stand() {
  pool_.count_opened();
  watch(EPOLLIN);
  start(take_exchange());
}

// --- bytes out and in --------------------------------------------------------------------------

void ClientConnection::write_some() {
  const std::string_view rest = std::string_view(exchange_.bytes).substr(written_);
  if (exchange_.sent == Instant{}) exchange_.sent = os::now();
  const ssize_t count = stream_ ? write_securely(rest)
                                : ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (count >= 0) {
    written_ += static_cast<std::size_t>(count);
    pool_.count_written(static_cast<std::size_t>(count));
  } else if (errno != EAGAIN && errno != EINTR) {
    // Not yet a failure: a server may refuse a large request by an early reply and a close, and
    // that reply is then waiting to be read. The read side decides.
    write_failed_ = true;
  }
  const bool more = written_ < exchange_.bytes.size() && !write_failed_;
  watch(more ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/// As send() has it: the bytes taken, or -1 and errno.
ssize_t ClientConnection::write_securely(std::string_view bytes) {
  std::size_t count = 0;
  const SecureStream::Step step = stream_->write(bytes, count);
  if (step == SecureStream::Step::done) return static_cast<ssize_t>(count);
  const bool later =
      step == SecureStream::Step::want_read || step == SecureStream::Step::want_write;
  errno = later ? EAGAIN : EPIPE;
  return -1;
}

void ClientConnection::read_some() {
  if (stream_) return read_securely();
  // One read a round: with 256 KiB each that costs little, and no connection starves the others.
  const ReadBuffer buffer;
  const ssize_t count = ::recv(socket_.get(), buffer.data(), ReadBuffer::kSize, 0);
  const int error = count < 0 ? errno : 0;
  if (error == EAGAIN || error == EINTR) return;
  const Instant at = os::now();
  if (count <= 0) return read_ended(error, at);
  take({buffer.data(), static_cast<std::size_t>(count)}, at);
}

/// Until the socket has no more: what was decrypted and not fetched, the poller cannot see.
void ClientConnection::read_securely() {
  const ReadBuffer buffer;
  auto step = SecureStream::Step::done;
  while (step == SecureStream::Step::done && phase_ != Phase::closed) {
    std::size_t filled = 0;
    while (filled < ReadBuffer::kSize) {
      std::size_t count = 0;
      step = stream_->read(buffer.data() + filled, ReadBuffer::kSize - filled, count);
      if (step != SecureStream::Step::done) break;
      filled += count;
    }
    if (filled > 0) take({buffer.data(), filled}, os::now());
  }
  if (phase_ == Phase::closed) return;
  if (step == SecureStream::Step::ended) return read_ended(0, os::now());
  if (step != SecureStream::Step::failed) return;
  if (phase_ == Phase::idle) return pool_.idle_closed(*this);
  pool_.failed(*this, take_exchange(), stream_->error(), /*unanswered=*/false);
}

void ClientConnection::take(std::string_view data, Instant at) {
  pool_.count_read(data.size());
  // Bytes that nobody asked for: the connection cannot be trusted with another request.
  if (phase_ == Phase::idle) return pool_.idle_closed(*this);
  parse(data, at);
}

void ClientConnection::parse(std::string_view data, Instant at) {
  if (first_byte_ == Instant{}) first_byte_ = at;
  read_at_ = at;
  parsing_ = true;
  const llhttp_errno_t code = llhttp_execute(&parser_, data.data(), data.size());
  parsing_ = false;
  if (phase_ == Phase::closed) return;
  if (code == HPE_OK) return;
  if (reply_whole_) {
    const char* const end = llhttp_get_error_pos(&parser_);
    return reply_ended(at, end != data.data() + data.size());
  }
  // A record of TLS: an alert, most likely, about a client that does not speak it.
  constexpr std::string_view kTlsRecord = "\x15\x03";
  if (!used_before_ && !stream_ && data.starts_with(kTlsRecord))
    return fail(ErrorCode::malformed, fmt::format("{} speaks TLS", pool_.address()), false,
                "Write https:// in the URL");
  std::string reason = "its head is longer than 256 KiB";
  if (parser_.status_code == 101) {
    reason = "it switches to another protocol";
  } else if (!head_too_long_) {
    const char* const words = llhttp_get_error_reason(&parser_);
    reason = words != nullptr && *words != '\0' ? words : llhttp_errno_name(code);
  }
  fail(ErrorCode::malformed,
       fmt::format("{} sent a reply that is not HTTP/1.1: {}", pool_.address(), reason));
}

void ClientConnection::read_ended(int error, Instant at) {
  if (phase_ == Phase::idle) return pool_.idle_closed(*this);
  const std::string_view how = error == 0 ? "closed" : "reset";
  const bool nothing_read = first_byte_ == Instant{};
  if (!nothing_read && error == 0) {
    // A body without a length ends here, and only here.
    llhttp_finish(&parser_);
    if (reply_whole_) return reply_ended(at, false);
  }
  std::string what = fmt::format("{} {} the connection", pool_.address(), how);
  if (error != 0 && error != ECONNRESET) what = system_error(std::move(what), error).what;
  what += in_body_       ? " in the middle of the reply's body"
          : nothing_read ? " without a reply"
                         : " in the middle of the reply's head";
  // The first word that a server over TLS has for plain HTTP is often none at all.
  std::string remedy;
  if (nothing_read && !stream_ && !pool_.reached())
    remedy = "If it speaks TLS, write https:// in the URL";
  fail(ErrorCode::closed, std::move(what), nothing_read && used_before_, std::move(remedy));
}

void ClientConnection::reply_ended(Instant at, bool leftovers) {
  // A reply to a request that is not fully written leaves the connection in the middle of it.
  const bool reusable = !leftovers && !write_failed_ && written_ == exchange_.bytes.size() &&
                        llhttp_should_keep_alive(&parser_) != 0;
  Exchange done = take_exchange();
  const ExchangeTimes times{.sent = done.sent, .first_byte = first_byte_, .done = at};
  used_before_ = true;
  head_.reset();
  phase_ = Phase::idle;
  watch(EPOLLIN);
  pool_.completed(*this, std::move(done), times, reusable);
}

void ClientConnection::fail(ErrorCode code, std::string what, bool unanswered, std::string remedy) {
  pool_.failed(*this, take_exchange(),
               weighbridge::fail(code, std::move(what), {}, std::move(remedy)).error(), unanswered);
}

}  // namespace weighbridge::transport::detail

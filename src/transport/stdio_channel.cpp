#include "transport/stdio_channel.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "base/units.h"
#include "os/real_clock.h"
#include "transport/detail/read_buffer.h"

namespace weighbridge::transport {
namespace {

// What a channel keeps for its next long line. More is given back: a thousand channels that have
// each seen one listing of 3 MB would hold 3 GB. The price is page faults on the next listing.
constexpr std::size_t kKeptCapacity = 256 * 1024;

bool is_socket(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

void ignore_sigpipe_if_unhandled() {
  struct sigaction current{};
  if (::sigaction(SIGPIPE, nullptr, &current) == 0 && current.sa_handler == SIG_DFL)
    ::signal(SIGPIPE, SIG_IGN);
}

bool would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

class StdioChannel::State final : public os::Poller::Handler,
                                  public std::enable_shared_from_this<State> {
 public:
  State(os::Poller& poller, os::Fd write, os::Fd read)
      : poller_(poller),
        write_(std::move(write)),
        read_(std::move(read)),
        write_is_socket_(is_socket(write_.get())),
        writable_(*this) {
    if (!write_is_socket_) ignore_sigpipe_if_unhandled();
  }

  void set_on_line(OnLine handler);
  void set_on_closed(OnClosed handler) {
    on_closed_ = std::make_shared<OnClosed>(std::move(handler));
  }
  Instant send(std::string_view message);
  void close_write();
  StdioEnds release();
  void shut_down();

  void on_ready(std::uint32_t events) override;

  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;

 private:
  // The write end has a registration of its own, and only while the child is behind.
  struct Writable final : os::Poller::Handler {
    explicit Writable(State& owner) : state(owner) {}
    void on_ready(std::uint32_t /*events*/) override {
      const auto keep = state.shared_from_this();
      state.write_unsent();
    }
    State& state;
  };

  enum class ReadResult { some, nothing, ended };
  ReadResult read_once();
  void feed(std::string_view data, Instant at);
  void deliver(std::string_view line, Instant first_byte, Instant done);
  void read_ended(std::optional<Error> trouble);
  void finish(const Error& why);

  /// Bytes taken by the kernel, 0 if it would block, -1 if the child no longer reads.
  ssize_t write_now(iovec* parts, int count);
  void write_unsent();
  void write_broke();
  void drop_write_end();

  os::Poller& poller_;
  os::Fd write_;
  os::Fd read_;
  bool write_is_socket_;
  Writable writable_;
  // Shared, so that a handler which replaces itself is not destroyed under its own feet.
  std::shared_ptr<OnLine> on_line_;
  std::shared_ptr<OnClosed> on_closed_;

  std::string partial_;  // the beginning of a line whose end has not come
  Instant partial_since_{};
  std::string unsent_;
  std::size_t unsent_from_ = 0;
  bool closing_write_ = false;
  bool delivering_ = false;
  bool closed_ = false;
};

// --- reading ---------------------------------------------------------------------------------

void StdioChannel::State::set_on_line(OnLine handler) {
  const bool first = on_line_ == nullptr;
  on_line_ = std::make_shared<OnLine>(std::move(handler));
  if (!first || closed_) return;
  if (const auto added = poller_.add(read_.get(), EPOLLIN, *this); !added) {
    // Reported from the loop: the caller has not set its other handler yet.
    poller_.at(Instant{}, [weak = weak_from_this(), error = added.error()] {
      if (const auto state = weak.lock()) state->finish(error);
    });
  }
}

void StdioChannel::State::on_ready(std::uint32_t /*events*/) {
  // A handler that runs the poller would otherwise be given later lines before earlier ones.
  if (delivering_) return;
  const auto keep = shared_from_this();
  read_once();
}

StdioChannel::State::ReadResult StdioChannel::State::read_once() {
  const detail::ReadBuffer buffer;
  const ssize_t count = ::read(read_.get(), buffer.data(), detail::ReadBuffer::kSize);
  const Instant at = os::now();
  if (count > 0) {
    bytes_read += static_cast<std::uint64_t>(count);
    feed({buffer.data(), static_cast<std::size_t>(count)}, at);
    return closed_ ? ReadResult::ended : ReadResult::some;
  }
  if (count < 0 && would_block(errno)) return ReadResult::nothing;
  // ECONNRESET is how a socketpair says that its other end went with bytes unread.
  const bool ordinary = count == 0 || errno == ECONNRESET;
  read_ended(ordinary ? std::nullopt
                      : std::optional(system_error("cannot read the child's output", errno)));
  return ReadResult::ended;
}

void StdioChannel::State::feed(std::string_view data, Instant at) {
  delivering_ = true;
  while (!data.empty() && !closed_) {
    // Only new bytes are searched, so a line of megabytes in many reads costs one pass.
    const void* const found = std::memchr(data.data(), '\n', data.size());
    if (found == nullptr) break;
    const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - data.data());
    if (partial_.empty()) {
      deliver(data.substr(0, length), at, at);
    } else {
      partial_.append(data.substr(0, length));
      std::string line = std::exchange(partial_, {});
      deliver(line, partial_since_, at);
      line.clear();
      if (line.capacity() <= kKeptCapacity) partial_ = std::move(line);
    }
    data.remove_prefix(length + 1);
  }
  delivering_ = false;
  if (closed_ || data.empty()) return;
  if (partial_.empty()) partial_since_ = at;
  partial_.append(data);
  if (partial_.size() > kMaxLineBytes) {
    finish(fail(ErrorCode::malformed, "the child wrote a line of more than " +
                                          format_size_binary(static_cast<double>(kMaxLineBytes)))
               .error());
  }
}

void StdioChannel::State::deliver(std::string_view line, Instant first_byte, Instant done) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return;
  const auto handler = on_line_;
  if (handler && *handler) (*handler)(line, first_byte, done);
}

void StdioChannel::State::read_ended(std::optional<Error> trouble) {
  if (trouble) return finish(*trouble);
  Error why = fail(ErrorCode::closed, "the child closed its output").error();
  if (!partial_.empty())
    why.what += fmt::format(" in the middle of a line, after {} bytes of it", partial_.size());
  finish(why);
}

void StdioChannel::State::finish(const Error& why) {
  if (closed_) return;
  const auto handler = on_closed_;
  shut_down();
  if (handler && *handler) (*handler)(why);
}

void StdioChannel::State::shut_down() {
  closed_ = true;
  drop_write_end();
  if (read_.valid()) poller_.remove(read_.get());
  read_.reset();
}

// --- writing ---------------------------------------------------------------------------------

Instant StdioChannel::State::send(std::string_view message) {
  const Instant sent = os::now();
  if (!write_.valid() || closing_write_) return sent;
  static constexpr std::string_view kNewline = "\n";
  std::size_t taken = 0;
  if (unsent_.empty()) {
    iovec parts[2] = {{const_cast<char*>(message.data()), message.size()},
                      {const_cast<char*>(kNewline.data()), kNewline.size()}};
    const ssize_t count = write_now(parts, 2);
    if (count < 0) {
      write_broke();
      return sent;
    }
    taken = static_cast<std::size_t>(count);
    if (taken == message.size() + 1) return sent;
  }
  const bool was_empty = unsent_.empty();
  unsent_.append(message.substr(std::min(taken, message.size()))).append(kNewline);
  if (was_empty && !poller_.add(write_.get(), EPOLLOUT, writable_)) write_broke();
  return sent;
}

ssize_t StdioChannel::State::write_now(iovec* parts, int count) {
  ssize_t written = 0;
  if (write_is_socket_) {
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = static_cast<std::size_t>(count);
    written = ::sendmsg(write_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } else {
    written = ::writev(write_.get(), parts, count);
  }
  if (written >= 0) {
    bytes_written += static_cast<std::uint64_t>(written);
    return written;
  }
  return would_block(errno) ? 0 : -1;
}

void StdioChannel::State::write_unsent() {
  iovec part{unsent_.data() + unsent_from_, unsent_.size() - unsent_from_};
  const ssize_t count = write_now(&part, 1);
  if (count < 0) return write_broke();
  unsent_from_ += static_cast<std::size_t>(count);
  if (unsent_from_ < unsent_.size()) {
    // A child that is always a little behind must not make the queue grow without end; moving only
    // when half has gone keeps the total cost linear.
    if (unsent_from_ > unsent_.size() / 2) unsent_.erase(0, std::exchange(unsent_from_, 0));
    return;
  }
  unsent_ = {};
  unsent_from_ = 0;
  if (closing_write_) return drop_write_end();
  poller_.remove(write_.get());
}

void StdioChannel::State::write_broke() {
  drop_write_end();
  // The child may have answered before it left. What it wrote is read first, and from the loop:
  // the caller of send() does not expect to be called back.
  poller_.at(Instant{}, [weak = weak_from_this()] {
    const auto state = weak.lock();
    if (!state || state->closed_ || state->on_line_ == nullptr || state->delivering_) return;
    ReadResult result = ReadResult::some;
    while (result == ReadResult::some) result = state->read_once();
    if (result == ReadResult::nothing) {
      state->finish(fail(ErrorCode::closed, "the child no longer reads its input").error());
    }
  });
}

StdioEnds StdioChannel::State::release() {
  closed_ = true;
  if (write_.valid()) poller_.remove(write_.get());
  if (read_.valid()) poller_.remove(read_.get());
  return {.write = std::move(write_), .read = std::move(read_), .unread = std::move(partial_)};
}

void StdioChannel::State::close_write() {
  closing_write_ = true;
  if (unsent_.empty()) drop_write_end();
}

void StdioChannel::State::drop_write_end() {
  if (!write_.valid()) return;
  poller_.remove(write_.get());
  // Our write end may be a duplicate of the read end: closing one of two would not be noticed.
  if (write_is_socket_) ::shutdown(write_.get(), SHUT_WR);
  write_.reset();
  unsent_ = {};
  unsent_from_ = 0;
}

// --- the handle ------------------------------------------------------------------------------

StdioChannel::StdioChannel(os::Poller& poller, os::Fd write, os::Fd read)
    : state_(std::make_shared<State>(poller, std::move(write), std::move(read))) {}

StdioChannel::~StdioChannel() {
  state_->shut_down();
}

void StdioChannel::on_line(OnLine handler) {
  state_->set_on_line(std::move(handler));
}
void StdioChannel::on_closed(OnClosed handler) {
  state_->set_on_closed(std::move(handler));
}
Instant StdioChannel::send(std::string_view message) {
  return state_->send(message);
}
void StdioChannel::close_write() {
  state_->close_write();
}
StdioEnds StdioChannel::release() {
  return state_->release();
}
std::uint64_t StdioChannel::bytes_read() const {
  return state_->bytes_read;
}
std::uint64_t StdioChannel::bytes_written() const {
  return state_->bytes_written;
}

}  // namespace weighbridge::transport

#include "reference/stdio_pipe.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "os/real_clock.h"

namespace weighbridge::reference {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::size_t kKeptCapacity = 64 * 1024;
/// A line beyond this ends the conversation: it is no message, and must not take all memory.
constexpr std::size_t kMostLineBytes = 64 * 1024 * 1024;
/// With so much unsent a client that does not read is no longer read either.
constexpr std::uint64_t kMostQueuedBytes = 16 * 1024 * 1024;

mode_t kind_of(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

/// Only pipes: a socket is asked without waiting call by call, and a terminal's flag would stay
/// behind for the shell.
void make_pipe_non_blocking(int fd) {
  if (kind_of(fd) != S_IFIFO) return;
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0) ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

const std::shared_ptr<const std::string>& newline() {
  static const auto text = std::make_shared<const std::string>("\n");
  return text;
}

}  // namespace

StdioPipe::StdioPipe(os::Poller& poller, int in, int out)
    : poller_(poller),
      in_(in),
      out_(out),
      out_is_socket_(kind_of(out) == S_IFSOCK),
      reader_(*this),
      writer_(*this) {}

StdioPipe::~StdioPipe() {
  stop_watching_input();
  if (writing_) poller_.remove(out_);
}

Result<void> StdioPipe::start(OnLine on_line, OnEnd on_end) {
  on_line_ = std::move(on_line);
  on_end_ = std::move(on_end);
  if (::fcntl(in_, F_GETFD) < 0) return std::unexpected(system_error("cannot read stdin", errno));
  if (::fcntl(out_, F_GETFD) < 0)
    return std::unexpected(system_error("cannot write stdout", errno));
  buffer_.resize(kReadBytes);
  make_pipe_non_blocking(in_);
  make_pipe_non_blocking(out_);
  watch_input();
  return {};
}

void StdioPipe::watch_input() {
  if (ended_ || reading_) return;
  reading_ = true;
  if (polled_ && poller_.add(in_, EPOLLIN, reader_)) return;
  polled_ = false;
  file_timer_ = poller_.at(os::now(), [this] {
    reading_ = false;
    read_some();
  });
}

void StdioPipe::stop_watching_input() {
  if (!reading_) return;
  reading_ = false;
  if (polled_)
    poller_.remove(in_);
  else
    poller_.cancel(file_timer_);
}

void StdioPipe::read_some() {
  const ssize_t count = ::read(in_, buffer_.data(), buffer_.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return end_reading();
  feed({buffer_.data(), static_cast<std::size_t>(count)});
  if (queued_bytes_ > kMostQueuedBytes)
    stop_watching_input();
  else
    watch_input();
}

void StdioPipe::feed(std::string_view data) {
  for (;;) {
    const auto end = data.find('\n');
    if (end == std::string_view::npos) break;
    if (partial_.empty()) {
      deliver(data.substr(0, end));
    } else {
      partial_ += data.substr(0, end);
      deliver(partial_);
      partial_.clear();
      if (partial_.capacity() > kKeptCapacity) partial_ = {};
    }
    data.remove_prefix(end + 1);
  }
  partial_ += data;
  if (partial_.size() > kMostLineBytes) end_reading();
}

void StdioPipe::deliver(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!line.empty() && !ended_) on_line_(line);
}

void StdioPipe::end_reading() {
  if (ended_) return;
  stop_watching_input();
  // The last line of a file may lack its newline.
  if (!partial_.empty() && partial_.size() <= kMostLineBytes) deliver(partial_);
  ended_ = true;
  on_end_();
}

void StdioPipe::send(transport::Body message) {
  write(message.add(newline()));
}

void StdioPipe::write(const transport::Body& part) {
  if (broken_) return;
  for (const auto& piece : part.pieces()) {
    queued_bytes_ += piece->size();
    queue_.push_back(piece);
  }
  if (!writing_) write_some();
}

void StdioPipe::write_some() {
  while (!queue_.empty()) {
    std::array<iovec, 64> parts;
    std::size_t count = 0;
    for (const auto& piece : queue_) {
      if (count == parts.size()) break;
      const auto skip = count == 0 ? offset_ : 0;
      parts[count++] = {const_cast<char*>(piece->data()) + skip, piece->size() - skip};
    }
    ssize_t written = 0;
    if (out_is_socket_) {
      msghdr message{};
      message.msg_iov = parts.data();
      message.msg_iovlen = count;
      written = ::sendmsg(out_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
      written = ::writev(out_, parts.data(), static_cast<int>(count));
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno != EAGAIN) return break_off();
    if (written < 0) {
      if (!writing_ && !poller_.add(out_, EPOLLOUT, writer_)) return break_off();
      writing_ = true;
      return;
    }
    taken(static_cast<std::size_t>(written));
  }
  if (writing_) poller_.remove(out_);
  writing_ = false;
  watch_input();
}

void StdioPipe::taken(std::size_t bytes) {
  queued_bytes_ -= bytes;
  bytes += offset_;
  while (!queue_.empty() && bytes >= queue_.front()->size()) {
    bytes -= queue_.front()->size();
    queue_.pop_front();
  }
  offset_ = bytes;
}

/// Nobody reads our answers: there is no point in asking for more questions.
void StdioPipe::break_off() {
  broken_ = true;
  if (writing_) poller_.remove(out_);
  writing_ = false;
  queue_.clear();
  queued_bytes_ = 0;
  offset_ = 0;
  end_reading();
}

}  // namespace weighbridge::reference

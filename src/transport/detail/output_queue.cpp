#include "transport/detail/output_queue.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace weighbridge::transport::detail {

void OutputQueue::add(std::string text) {
  add(std::make_shared<const std::string>(std::move(text)));
}

void OutputQueue::add(std::shared_ptr<const std::string> piece) {
  if (piece && !piece->empty()) pieces_.push_back(std::move(piece));
}

OutputQueue::Flushed OutputQueue::flush(int socket) {
  constexpr std::size_t kPiecesPerCall = 64;
  std::array<iovec, kPiecesPerCall> parts;
  while (!empty()) {
    const std::size_t count = std::min(pieces_.size() - next_, kPiecesPerCall);
    std::size_t offered = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& piece = *pieces_[next_ + i];
      const std::size_t skip = i == 0 ? offset_ : 0;
      parts[i] = {const_cast<char*>(piece.data()) + skip, piece.size() - skip};
      offered += parts[i].iov_len;
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN ? Flushed::blocked : Flushed::broken;
    taken(static_cast<std::size_t>(sent));
    // A short write means a full socket; asking again would only be told so.
    if (static_cast<std::size_t>(sent) < offered) return Flushed::blocked;
  }
  return Flushed::all;
}

void OutputQueue::taken(std::size_t bytes) {
  while (next_ < pieces_.size()) {
    const std::size_t left = pieces_[next_]->size() - offset_;
    if (bytes < left) {
      offset_ += bytes;
      return;
    }
    bytes -= left;
    offset_ = 0;
    pieces_[next_++].reset();
  }
  pieces_.clear();
  next_ = 0;
}

}  // namespace weighbridge::transport::detail

#include "load/detail/stdio_lane.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/words.h"
#include "load/detail/quick_look.h"
#include "os/real_clock.h"
#include "protocol/message.h"

namespace weighbridge::load::detail {
namespace {

bool is_socket(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

std::optional<std::uint32_t> number_in(std::string_view id) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc{} || end != id.data() + id.size()) return std::nullopt;
  return number;
}

}  // namespace

StdioLane::StdioLane(LaneOwner& owner, transport::StdioEnds ends, std::size_t slots)
    : owner_(owner),
      ends_(std::move(ends)),
      write_is_socket_(is_socket(ends_.write.get())),
      slots_(slots) {
  for (Slot& slot : slots_) slot.lane = this;
  const std::string unread = std::exchange(ends_.unread, {});
  if (unread.empty()) return;
  text_.begin(false);
  text_.push(unread);
  text_.settle();
}

Result<void> StdioLane::watch() {
  return owner_.epoll().add(ends_.read.get(), EPOLLIN, static_cast<Lane*>(this));
}

void StdioLane::close_write() {
  if (write_is_socket_ && ends_.write.valid()) ::shutdown(ends_.write.get(), SHUT_WR);
  ends_.write.reset();
}

// --- calls out ---------------------------------------------------------------------------------

void StdioLane::send(Slot& slot) {
  if (closed_) return;
  slot.first_byte = slot.first_event = {};
  if (first_id_ == 0) first_id_ = slot.id;
  gathered_ += owner_.render(slot);
  gathered_slots_.push_back(&slot);
  if (!reading_) write_gathered();
}

void StdioLane::write_gathered() {
  if (gathered_slots_.empty()) return;
  const Instant now = os::now();
  for (Slot* slot : gathered_slots_) slot->sent = now;
  write(gathered_);
  gathered_slots_.clear();
  gathered_.clear();
}

void StdioLane::write(std::string_view bytes) {
  std::size_t taken = 0;
  if (unsent_.empty()) {
    const ssize_t count = write_now(bytes);
    // A child that no longer reads: its end is told by the read side, after its last words.
    if (count < 0) return;
    taken = static_cast<std::size_t>(count);
    if (taken == bytes.size()) return;
    (void)owner_.epoll().add(ends_.write.get(), EPOLLOUT, static_cast<Lane*>(&writable_));
  }
  unsent_.append(bytes.substr(taken));
}

ssize_t StdioLane::write_now(std::string_view bytes) {
  const ssize_t written = write_is_socket_ ? ::send(ends_.write.get(), bytes.data(), bytes.size(),
                                                    MSG_NOSIGNAL | MSG_DONTWAIT)
                                           : ::write(ends_.write.get(), bytes.data(), bytes.size());
  if (written >= 0) return written;
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

void StdioLane::write_unsent() {
  const ssize_t count = write_now(unsent_);
  if (count >= 0) unsent_.erase(0, static_cast<std::size_t>(count));
  if (count >= 0 && !unsent_.empty()) return;
  owner_.epoll().remove(ends_.write.get());
  unsent_ = {};
}

// --- replies in --------------------------------------------------------------------------------

void StdioLane::on_ready(std::uint32_t /*events*/) {
  if (closed_) return;
  const std::span<char> buffer = owner_.buffer();
  const ssize_t count = ::read(ends_.read.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0)
    return ended(text_.size() > 0 ? "the server's process closed its output in the middle of a line"
                                  : "the server's process closed its output");
  owner_.count_read(static_cast<std::size_t>(count));
  // The calls that follow several answers leave together: waking the child once for each costs it
  // and us more than everything else about a short call.
  reading_ = true;
  take({buffer.data(), static_cast<std::size_t>(count)}, os::now());
  reading_ = false;
  write_gathered();
}

void StdioLane::take(std::string_view data, Instant at) {
  while (!data.empty()) {
    if (text_.size() == 0) {
      text_.begin(any_whole());
      first_byte_ = at;
    }
    const void* const found = std::memchr(data.data(), '\n', data.size());
    const std::size_t length =
        found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - data.data())
                         : data.size();
    text_.push(data.substr(0, length));
    if (found == nullptr) break;
    data.remove_prefix(length + 1);
    line_ended(at);
    text_.clear();
  }
  text_.settle();
}

void StdioLane::line_ended(Instant at) {
  if (text_.size() == 0) return;
  const auto plain =
      id_of_plain_answer({text_.head(), text_.tail()}, owner_.wants_complete(slots_.front()));
  Slot* slot = plain ? find(*plain) : nullptr;
  if (slot == nullptr) {
    if (!text_.whole()) return other({});
    const auto message = protocol::read_message(text_.head());
    if (message.kind == protocol::Envelope::Kind::response ||
        message.kind == protocol::Envelope::Kind::error)
      slot = whose(message.id);
    if (slot == nullptr) return other(text_.head());
  }
  slot->first_byte = slot->first_event = first_byte_;
  owner_.replied(*slot, {.text = text_,
                         .wire_bytes = text_.size() + 1,  // the newline
                         .done = at,
                         .plain_id = plain});
}

void StdioLane::other(std::string_view text) {
  if (trim(text).empty()) return;
  std::string answer = owner_.other_message(text);
  if (!answer.empty()) write(answer + "\n");
}

Slot* StdioLane::find(std::string_view id) {
  const auto number = number_in(id);
  const auto found = std::ranges::find_if(slots_, [number](const Slot& slot) {
    return slot.id == number && slot.state == Slot::State::busy;
  });
  return found == slots_.end() ? nullptr : &*found;
}

/// An answer under an id that was never sent is laid to the call that has waited longest: some call
/// was answered wrongly, and nothing tells which. An id that was sent belongs to a call that has
/// been answered twice, or too late.
Slot* StdioLane::whose(std::string_view id) {
  if (Slot* const slot = find(id)) return slot;
  const auto newest = std::ranges::max(slots_, {}, &Slot::id).id;
  const auto number = number_in(id);
  if (number && *number >= first_id_ && *number <= newest) return nullptr;
  Slot* longest = nullptr;
  for (Slot& slot : slots_)
    if (slot.state == Slot::State::busy && (longest == nullptr || slot.id < longest->id))
      longest = &slot;
  return longest;
}

bool StdioLane::any_whole() const {
  return std::ranges::any_of(
      slots_, [](const Slot& slot) { return slot.whole_long && slot.state == Slot::State::busy; });
}

void StdioLane::ended(const std::string& reason) {
  closed_ = true;
  ends_.read.reset();
  for (Slot& slot : slots_) {
    if (slot.state == Slot::State::busy) owner_.failed(slot, reason, /*resting=*/true);
    owner_.lost(slot, reason);
  }
}

}  // namespace weighbridge::load::detail

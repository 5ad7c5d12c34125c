#include "reference/sessions.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <utility>

namespace weighbridge::reference {
namespace {

std::string random_id() {
  std::array<std::uint64_t, 2> words{};
  // Sixteen bytes are always given whole once the kernel's pool is ready.
  while (::getrandom(words.data(), sizeof words, 0) != static_cast<ssize_t>(sizeof words)) {
  }
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

}  // namespace

std::string Sessions::open(std::shared_ptr<Conversation> conversation, std::uint64_t credential,
                           Instant now, std::shared_ptr<void> burden) {
  auto id = random_id();
  auto streams = std::make_shared<SessionStreams>();
  conversation->tell = [weak = std::weak_ptr(streams)](std::string message) {
    const auto open = weak.lock();
    if (open && open->standing) open->standing->send(std::move(message));
  };
  sessions_[id] = {.conversation = std::move(conversation),
                   .streams = std::move(streams),
                   .credential = credential,
                   .last_used = now,
                   .burden = std::move(burden)};
  ++stats_.sessions_opened;
  return id;
}

const Sessions::Session* Sessions::find(std::string_view id, std::uint64_t credential,
                                        Instant now) {
  const auto found = sessions_.find(std::string(id));
  if (found == sessions_.end() || found->second.credential != credential) return nullptr;
  found->second.last_used = now;
  return &found->second;
}

bool Sessions::close(std::string_view id, std::uint64_t credential) {
  const auto found = sessions_.find(std::string(id));
  if (found == sessions_.end() || found->second.credential != credential) return false;
  sessions_.erase(found);
  ++stats_.sessions_closed;
  return true;
}

std::vector<std::shared_ptr<void>> Sessions::expire_unused_since(Instant instant) {
  std::vector<std::shared_ptr<void>> held;
  stats_.sessions_expired += std::erase_if(sessions_, [&](auto& session) {
    if (session.second.last_used >= instant) return false;
    held.push_back(std::move(session.second.burden));
    return true;
  });
  return held;
}

void Sessions::let_go() {
  for (auto& [id, session] : sessions_)
    if (session.streams->standing) session.streams->standing->let_go();
}

}  // namespace weighbridge::reference

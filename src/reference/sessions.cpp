#include "reference/sessions.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>

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

std::string Sessions::open(const protocol::Era& era, std::uint64_t credential, Instant now) {
  auto id = random_id();
  sessions_[id] = {.era = &era, .credential = credential, .last_used = now};
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

void Sessions::expire_unused_since(Instant instant) {
  stats_.sessions_expired += std::erase_if(
      sessions_, [&](const auto& session) { return session.second.last_used < instant; });
}

}  // namespace weighbridge::reference

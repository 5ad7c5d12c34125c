#include "reference/request_state.h"

#include <fmt/format.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <sys/random.h>

#include <charconv>

#include "protocol/server_base64.h"

namespace weighbridge::reference {
namespace {

// expiry.payload.mac, the last two in base64
constexpr char kBetween = '.';

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

RequestState::RequestState() {
  // So few bytes are always given whole once the kernel's pool is ready.
  while (::getrandom(key_.data(), key_.size(), 0) != static_cast<ssize_t>(key_.size())) {
  }
}

RequestState::Mac RequestState::sign(std::string_view expiry, std::string_view payload,
                                     const Bound& bound) const {
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key_.size(), key_.data());
  // Each part with its length before it: otherwise a byte could move from one to the next.
  const auto add = [&](std::string_view part) {
    const auto length = fmt::format("{}:", part.size());
    hmac_sha256_update(&context, length.size(), bytes_of(length));
    hmac_sha256_update(&context, part.size(), bytes_of(part));
  };
  add(expiry);
  add(payload);
  add(bound.request);
  add(fmt::format("{:x}", bound.principal));
  Mac mac;
  hmac_sha256_digest(&context, mac.size(), mac.data());
  return mac;
}

std::string RequestState::seal(std::string_view payload, const Bound& bound, Instant now) const {
  const auto expiry = fmt::format("{}", (now + kLifetime).time_since_epoch().count());
  const auto mac = sign(expiry, payload, bound);
  return fmt::format(
      "{}{}{}{}{}", expiry, kBetween, protocol::encode_base64(payload), kBetween,
      protocol::encode_base64({reinterpret_cast<const char*>(mac.data()), mac.size()}));
}

std::optional<std::string> RequestState::open(std::string_view state, const Bound& bound,
                                              Instant now) const {
  const auto first = state.find(kBetween);
  const auto last = state.rfind(kBetween);
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const auto expiry = state.substr(0, first);
  const auto payload = protocol::decode_strict_base64(state.substr(first + 1, last - first - 1));
  const auto given = protocol::decode_strict_base64(state.substr(last + 1));
  if (!payload || !given) return std::nullopt;
  const auto mac = sign(expiry, *payload, bound);
  if (given->size() != mac.size() || memeql_sec(given->data(), mac.data(), mac.size()) == 0)
    return std::nullopt;
  Duration::rep until = 0;
  std::from_chars(expiry.data(), expiry.data() + expiry.size(), until);  // ours: it was signed
  if (now.time_since_epoch().count() > until) return std::nullopt;
  return payload;
}

}  // namespace weighbridge::reference

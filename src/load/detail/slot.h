#pragma once

#include <cstdint>

#include "base/clock.h"

namespace weighbridge::load::detail {

class Lane;

/// Room for one call in flight, and the call that is in it.
struct Slot {
  enum class State : std::uint8_t {
    free,     ///< open loop: waits to be given a call
    resting,  ///< closed loop: thinks, or waits a moment after a connection that could not be had
    busy,
    lost  ///< its process has closed its output; nothing can be sent any more
  };

  Lane* lane = nullptr;
  Instant due{};
  Instant sent{};  ///< of the first attempt; zero until then
  Instant first_byte{};
  Instant first_event{};
  std::uint64_t n = 0;       ///< the call's number
  std::uint32_t id = 0;      ///< of its JSON-RPC request
  std::uint16_t turn = 0;    ///< whose turn it is, where operations alternate
  std::uint32_t caller = 0;  ///< whose it is, within its worker
  std::uint8_t operation = 0;
  State state = State::free;
  bool whole = false;       ///< its reply is checked whole if it is short
  bool whole_long = false;  ///< and even if it is long
  bool waited = false;      ///< see load/phase_outcome.h
  bool retried = false;     ///< sent a second time, on another connection
};

}  // namespace weighbridge::load::detail

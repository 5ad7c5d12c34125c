#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "reference/event_stream.h"

namespace weighbridge::reference {

/// The streams that a session's client may come back to, and the one that belongs to no request.
class SessionStreams {
 public:
  /// A new stream for a request that says something before its answer.
  std::shared_ptr<EventStream> open(bool primes);
  /// nullptr if there is none of this number, or no longer.
  [[nodiscard]] std::shared_ptr<EventStream> find(std::uint64_t number) const;

  /// The stream of GET without Last-Event-ID. Null until asked for.
  std::shared_ptr<EventStream> standing;

 private:
  std::uint64_t next_ = 1;
  std::deque<std::shared_ptr<EventStream>> kept_;
};

}  // namespace weighbridge::reference

#include "load/outcome.h"

#include <utility>

namespace weighbridge::load {

std::uint64_t Outcome::sent() const {
  std::uint64_t total = 0;
  for (const OutcomeTally& tally : by_outcome) total += tally.count;
  return total;
}

std::uint64_t Outcome::completed() const {
  return sent() - of(protocol::Outcome::hung).count;
}

void Outcome::add(const CallRecord& call, std::string reason) {
  OutcomeTally& tally = of(call.outcome);
  ++tally.count;
  tally.latencies.push_back(call.done - call.due);
  if (tally.first_text.empty()) tally.first_text = std::move(reason);
  lateness.add(call.sent - call.due);
  if (call.outcome == protocol::Outcome::served) {
    service.add(call.done - call.sent);
    message_bytes.push_back(call.message_bytes);
    wire_bytes.push_back(call.wire_bytes);
  }
}

void Outcome::add(const Outcome& other) {
  for (std::size_t i = 0; i < by_outcome.size(); ++i) {
    OutcomeTally& mine = by_outcome[i];
    const OutcomeTally& theirs = other.by_outcome[i];
    mine.count += theirs.count;
    mine.latencies.insert(mine.latencies.end(), theirs.latencies.begin(), theirs.latencies.end());
    if (mine.first_text.empty()) mine.first_text = theirs.first_text;
  }
  service.merge(other.service);
  lateness.merge(other.lateness);
  message_bytes.insert(message_bytes.end(), other.message_bytes.begin(), other.message_bytes.end());
  wire_bytes.insert(wire_bytes.end(), other.wire_bytes.begin(), other.wire_bytes.end());
  media.stdio += other.media.stdio;
  media.json += other.media.json;
  media.sse += other.media.sse;
  wall += other.wall;
}

}  // namespace weighbridge::load

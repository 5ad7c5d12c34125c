#include "load/phase_outcome.h"

#include <algorithm>
#include <utility>

namespace weighbridge::load {
namespace {

constexpr std::uint64_t kSpanBits = 40;
constexpr std::uint64_t kLongest = (std::uint64_t{1} << kSpanBits) - 1;

std::uint64_t packed(Duration span) {
  return std::min(static_cast<std::uint64_t>(std::max(span, Duration::zero()).count()), kLongest);
}
Duration unpacked(std::uint64_t bits) {
  return Duration(static_cast<std::int64_t>(bits & kLongest));
}

/// Two troubles are of one kind when their beginnings agree but for the numbers in them.
bool same_kind(std::string_view left, std::string_view right) {
  constexpr std::size_t kCompared = 100;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < std::min(left.size(), kCompared) && j < std::min(right.size(), kCompared)) {
    if (is_digit(left[i]) && is_digit(right[j])) {
      while (i < left.size() && is_digit(left[i])) ++i;
      while (j < right.size() && is_digit(right[j])) ++j;
    } else if (left[i++] != right[j++]) {
      return false;
    }
  }
  return (i >= std::min(left.size(), kCompared)) == (j >= std::min(right.size(), kCompared));
}

void add_ticks(std::vector<std::uint32_t>& mine, const std::vector<std::uint32_t>& theirs) {
  mine.resize(std::max(mine.size(), theirs.size()));
  for (std::size_t i = 0; i < theirs.size(); ++i) mine[i] += theirs[i];
}

void add_tally(OperationTally& mine, const OperationTally& theirs) {
  for (std::size_t i = 0; i < mine.count.size(); ++i) mine.count[i] += theirs.count[i];
  mine.message_bytes += theirs.message_bytes;
  mine.wire_bytes += theirs.wire_bytes;
  mine.checked_whole += theirs.checked_whole;
  mine.media.stdio += theirs.media.stdio;
  mine.media.json += theirs.media.json;
  mine.media.sse += theirs.media.sse;
}

}  // namespace

// Latency in the lower 40 bits, service across the border, then first event and the small members.
Sample::Sample(const Parts& parts)
    : low_(packed(parts.latency) | packed(parts.service) << kSpanBits),
      high_(packed(parts.service) >> 24 | packed(parts.first_event) << 16 |
            static_cast<std::uint64_t>(parts.outcome) << 56 |
            static_cast<std::uint64_t>(parts.operation & 31U) << 58 |
            static_cast<std::uint64_t>(parts.waited) << 63) {}

Sample::Parts Sample::parts() const {
  return {.latency = unpacked(low_),
          .service = unpacked(low_ >> kSpanBits | (high_ & 0xffffU) << 24),
          .first_event = unpacked(high_ >> 16),
          .outcome = static_cast<protocol::Outcome>(high_ >> 56 & 3U),
          .operation = static_cast<std::uint8_t>(high_ >> 58 & 31U),
          .waited = high_ >> 63 != 0};
}

void SampleList::add(const Sample& sample) {
  if (blocks_.empty() || blocks_.back()->used == kBlock)
    blocks_.push_back(std::make_unique<Block>());
  Block& block = *blocks_.back();
  block.samples[block.used++] = sample;
  ++size_;
}

void SampleList::add(SampleList&& other) {
  std::ranges::move(other.blocks_, std::back_inserter(blocks_));
  size_ += std::exchange(other.size_, 0);
  other.blocks_.clear();
}

void SampleList::for_each(const std::function<void(const Sample::Parts&)>& visit) const {
  for (const auto& block : blocks_)
    for (std::size_t i = 0; i < block->used; ++i) visit(block->samples[i].parts());
}

std::uint64_t PhaseOutcome::of(protocol::Outcome outcome) const {
  std::uint64_t total = 0;
  for (const OperationTally& operation : operations) total += operation.of(outcome);
  return total;
}

std::uint64_t PhaseOutcome::sent() const {
  std::uint64_t total = 0;
  for (const protocol::Outcome outcome : protocol::kOutcomes) total += of(outcome);
  return total;
}

std::uint64_t PhaseOutcome::completed() const {
  return sent() - of(protocol::Outcome::hung);
}

void PhaseOutcome::add_trouble(protocol::Outcome outcome, std::uint8_t operation, std::string text,
                               std::uint64_t count) {
  for (Trouble& known : troubles) {
    if (known.outcome == outcome && known.operation == operation &&
        same_kind(known.first_text, text)) {
      known.count += count;
      return;
    }
  }
  if (troubles.size() < kMostTroubles)
    troubles.push_back({outcome, operation, std::move(text), count});
  else
    other_troubles += count;
}

void PhaseOutcome::add(PhaseOutcome&& other) {
  const bool first = operations.empty() && workers.empty();
  begin = first ? other.begin : std::min(begin, other.begin);
  last_done = std::max(last_done, other.last_done);
  operations.resize(std::max(operations.size(), other.operations.size()));
  for (std::size_t i = 0; i < other.operations.size(); ++i)
    add_tally(operations[i], other.operations[i]);
  samples.add(std::move(other.samples));
  for (Trouble& trouble : other.troubles)
    add_trouble(trouble.outcome, trouble.operation, std::move(trouble.first_text), trouble.count);
  other_troubles += other.other_troubles;
  missed += other.missed;
  overran += other.overran;
  served_in_window += other.served_in_window;
  resets_retried += other.resets_retried;
  connections_opened += other.connections_opened;
  notifications += other.notifications;
  server_requests += other.server_requests;
  stray_messages += other.stray_messages;
  slots_lost += other.slots_lost;
  bytes_read += other.bytes_read;
  add_ticks(sent_per_tick, other.sent_per_tick);
  add_ticks(served_per_tick, other.served_per_tick);
  std::ranges::move(other.workers, std::back_inserter(workers));
}

stats::Samples collect(const SampleList& samples,
                       const std::function<bool(const Sample::Parts&)>& chosen,
                       const std::function<Duration(const Sample::Parts&)>& span) {
  stats::Samples values;
  samples.for_each([&](const Sample::Parts& parts) {
    if (chosen(parts)) values.add(span(parts));
  });
  return values;
}

}  // namespace weighbridge::load

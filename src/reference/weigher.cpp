#include "reference/weigher.h"

#include <utility>

#include "os/real_clock.h"
#include "reference/held_things.h"

namespace weighbridge::reference {
namespace {

/// What a session or a connection holds.
class Held {
 public:
  Held(WeightStats& stats, Holder holder, std::optional<HeldBlock> block, const Things& things)
      : stats_(stats), holder_(holder), block_(std::move(block)), things_(things, stats) {
    if (block_) stats_.hold(holder_, block_->bytes());
  }
  ~Held() {
    if (block_) stats_.release(holder_, block_->bytes());
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  WeightStats& stats_;
  Holder holder_;
  std::optional<HeldBlock> block_;
  HeldThings things_;
};

}  // namespace

Weigher::Weigher(os::Poller& poller, const WeightPlan& plan, WeightStats& stats, Instant started)
    : poller_(poller), plan_(plan), stats_(stats), started_(started) {
  // The text was checked when it was read; a list in a file may have gone since.
  if (plan.delay.empty()) return;
  if (auto source = DelaySource::parse(plan.delay, plan.seed)) delays_ = std::move(*source);
}

Weigher::~Weigher() {
  poller_.cancel(freeze_timer_);
  for (const auto& [number, timer] : timed_) poller_.cancel(timer);
}

void Weigher::start() {
  if (plan_.start_delay > Duration(0))
    stats_.start_delay = freeze_until(os::now() + plan_.start_delay);
  if (plan_.start_cpu > Duration(0)) stats_.start_cpu = burn_cpu(plan_.start_cpu);
  hold(of_process_, Holder::process, plan_.process_bytes);
}

void Weigher::weigh_request(bool credential_is_new) {
  if (credential_is_new) hold(of_credentials_, Holder::credential, plan_.credential_bytes);
  if (!plan_.freeze || first_request_) return;
  first_request_ = os::now();
  freeze();
}

/// Stands still if a freeze is on, and comes back when the next one begins.
void Weigher::freeze() {
  const auto span = plan_.freeze->at_or_after(*first_request_, os::now());
  if (os::now() >= span.begin) {
    const Duration after_start = os::now() - started_;
    stats_.freezes.push_back({after_start, freeze_until(span.end)});
  }
  const auto next = plan_.freeze->at_or_after(*first_request_, os::now());
  freeze_timer_ = poller_.at(next.begin, [this] { freeze(); });
}

void Weigher::weigh_listing() {
  if (plan_.list_cpu > Duration(0)) stats_.list_cpu.add(burn_cpu(plan_.list_cpu));
}

Weigher::Burden Weigher::weigh_call(const CallWeights& weights) {
  if (weights.cpu > Duration(0)) stats_.call_cpu.add(burn_cpu(weights.cpu));
  if (weights.leak.time > Duration(0))
    hold_for(Holder::leak, weights.leak);
  else
    hold(leaked_, Holder::leak, weights.leak.bytes);
  hold_for(Holder::peak, weights.peak);
  if (weights.things.none()) return nullptr;
  return std::make_shared<HeldThings>(weights.things, stats_);
}

std::optional<Duration> Weigher::delay_of(const CallWeights& weights) {
  if (weights.delay) return weights.delay;
  return delays_ ? std::optional(delays_->next()) : std::nullopt;
}

Weigher::Burden Weigher::burden_of_session() {
  return burden_of(Holder::session, plan_.session_bytes, plan_.session_things);
}

Weigher::Burden Weigher::burden_of_connection() {
  return burden_of(Holder::connection, plan_.connection_bytes, {});
}

void Weigher::session_abandoned(Burden burden) {
  if (plan_.leak_abandoned && burden) abandoned_.push_back(std::move(burden));
}

std::shared_ptr<const std::string> Weigher::text_of(std::uint64_t bytes) {
  if (!text_ || text_->size() != bytes) text_ = std::make_shared<const std::string>(bytes, 'x');
  return text_;
}

void Weigher::hold(HeldMemory& memory, Holder holder, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (memory.hold(bytes))
    stats_.hold(holder, bytes);
  else
    ++stats_.failures;
}

void Weigher::hold_for(Holder holder, TimedMemory memory) {
  if (memory.bytes == 0) return;
  auto block = HeldBlock::take(memory.bytes);
  if (!block) {
    ++stats_.failures;
    return;
  }
  stats_.hold(holder, block->bytes());
  const auto number = next_timed_++;
  const Duration time = memory.time > Duration(0) ? memory.time : kPeakTime;
  timed_[number] = poller_.at(
      os::now() + time,
      [this, holder, number, held = std::make_shared<HeldBlock>(std::move(*block))]() mutable {
        stats_.release(holder, held->bytes());
        held.reset();
        timed_.erase(number);
      });
}

Weigher::Burden Weigher::burden_of(Holder holder, std::uint64_t bytes, const Things& things) {
  if (bytes == 0 && things.none()) return nullptr;
  std::optional<HeldBlock> block;
  if (bytes > 0) {
    if (auto taken = HeldBlock::take(bytes))
      block = std::move(*taken);
    else
      ++stats_.failures;
  }
  return std::make_shared<Held>(stats_, holder, std::move(block), things);
}

}  // namespace weighbridge::reference

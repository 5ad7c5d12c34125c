#include "load/detail/worker.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "client/request_head.h"
#include "load/detail/mix.h"
#include "os/affinity.h"
#include "os/cpu_clock.h"
#include "os/real_clock.h"
#include "protocol/client_session.h"
#include "protocol/message.h"

namespace weighbridge::load::detail {
namespace {

/// Ids have nine digits always, so that all requests of an operation are equally long, and fit the
/// 32 bits that some servers keep them in. After 900 million calls they begin again.
constexpr std::uint64_t kFirstId = 100'000'000;
constexpr std::uint64_t kIds = 900'000'000;

/// How long a slot waits after a connection that could not be had: a server that is down must not
/// be asked a hundred thousand times a second.
constexpr Duration kRest = 10ms;
/// The longest sleep: the flag that stops a phase is looked at in between.
constexpr Duration kLongestSleep = 50ms;
/// Connections that may be under way at once: far below what a listener's queue takes (128 where
/// nobody asked for more).
constexpr std::size_t kConnecting = 100;

// What is drawn from a call's number (see mix.h); 1 to 4 belong to arguments.cpp.
constexpr std::uint64_t kPurposeWhole = 5;
constexpr std::uint64_t kPurposeOperation = 6;

}  // namespace

Result<std::unique_ptr<Worker>> Worker::create(std::uint32_t number) {
  WB_TRY(os::Epoll epoll, os::Epoll::create());
  return std::unique_ptr<Worker>(new Worker(number, std::move(epoll)));
}

Worker::Worker(std::uint32_t number, os::Epoll epoll) : number_(number), epoll_(std::move(epoll)) {}

void Worker::add_http(Caller caller, const os::Address& address, std::size_t parallel) {
  const auto seat = static_cast<std::uint32_t>(seats_.size());
  seats_.emplace_back().caller = std::move(caller);
  for (std::size_t i = 0; i < parallel; ++i) {
    Slot& slot = http_.emplace_back(owner(), address).slots().front();
    slot.caller = seat;
    slots_.push_back(&slot);
  }
}

Result<void> Worker::add_stdio(Caller caller, std::size_t parallel) {
  const auto seat = static_cast<std::uint32_t>(seats_.size());
  StdioLane& lane = stdio_.emplace_back(owner(), std::move(*caller.stdio), parallel);
  caller.stdio.reset();
  seats_.emplace_back().caller = std::move(caller);
  for (Slot& slot : lane.slots()) {
    slot.caller = seat;
    slots_.push_back(&slot);
  }
  return lane.watch();
}

Worker::Connected Worker::connect(Instant deadline) {
  Connected result;
  std::array<epoll_event, kEvents> events{};
  auto next = http_.begin();
  std::vector<HttpLane*> under_way;
  while ((next != http_.end() || !under_way.empty()) && os::now() < deadline) {
    for (; next != http_.end() && under_way.size() < kConnecting; ++next) {
      if (next->open()) continue;
      if (const auto begun = next->connect()) {
        under_way.push_back(&*next);
      } else {
        ++result.refused;
        result.error = begun.error().system_errno;
      }
    }
    const int count = epoll_.wait(events, std::min<Duration>(deadline - os::now(), kLongestSleep));
    for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(count)))
      static_cast<Lane*>(event.data.ptr)->on_ready(event.events);
    std::erase_if(under_way, [&](const HttpLane* lane) {
      if (lane->connecting()) return false;
      if (!lane->open()) {
        ++result.refused;
        result.error = lane->connect_error();
      }
      return true;
    });
  }
  const std::size_t open = static_cast<std::size_t>(
      std::ranges::count_if(http_, [](const HttpLane& lane) { return lane.open(); }));
  if (open + result.refused < http_.size()) {
    result.refused = http_.size() - open;
    result.error = ETIMEDOUT;
  }
  return result;
}

void Worker::close() {
  for (HttpLane& lane : http_) lane.close();
  for (StdioLane& lane : stdio_) lane.close_write();
}

// --- the phase -----------------------------------------------------------------------------------

PhaseOutcome Worker::run(const PhasePlan& plan, const std::atomic<bool>& stopped, Live& live) {
  os::sharpen_timers();
  plan_ = &plan;
  spec_ = plan.spec;
  stopped_ = &stopped;
  live_ = &live;
  const Duration cpu_before = os::thread_cpu_time();
  const Duration waited_before = os::thread_wait_for_core();
  prepare();
  arm();
  loop();
  return finish(cpu_before, waited_before);
}

void Worker::prepare() {
  outcome_ = {};
  outcome_.operations.resize(spec_->operations.size());
  met_.fill(false);
  audit_ = {};
  begin_ = outcome_.begin = outcome_.last_done = plan_->begin;
  end_ = Instant::max();
  if (spec_->pace) end_ = begin_ + spec_->pace->length();
  if (!spec_->pace && spec_->duration) end_ = begin_ + *spec_->duration;
  calls_ = numbers_used_ = 0;
  budget_ = UINT64_MAX;
  if (spec_->requests)
    budget_ = *spec_->requests / plan_->workers + (number_ < *spec_->requests % plan_->workers);
  in_flight_ = 0;
  in_flight_before_ = 0;
  woken_ = begin_;
  next_expiry_ = Instant::max();
  last_turn_ = begin_;
  timed_ = {};
  waiting_.clear();
  with_free_.clear();
  backlog_ = 0;
  drawn_ = 0;
  next_due_.reset();
  schedule_.reset();
  for (Seat& seat : seats_) {
    seat.free.clear();
    seat.waiting.clear();
    seat.listed = false;
    seat.heads.clear();
    if (!seat.caller.http) continue;
    for (const Operation& operation : spec_->operations) {
      seat.heads.push_back(client::post_head(*seat.caller.http, *seat.caller.era,
                                             {.method = operation.method,
                                              .name = operation.name,
                                              .session_id = seat.caller.session_id,
                                              .params = operation.param_headers}));
    }
  }
}

void Worker::arm() {
  lost_ = 0;
  for (Slot* slot : slots_) {
    if (slot->state == Slot::State::lost) {
      ++lost_;
      continue;
    }
    slot->turn = 0;
    if (spec_->pace)
      give(*slot);
    else
      release(*slot, begin_ - spec_->think, /*resting=*/false);
  }
  if (!spec_->pace) return;
  const double factor = spec_->pace->per_credential ? static_cast<double>(plan_->callers) : 1.0;
  schedule_.emplace(*spec_->pace, factor, spec_->seed);
  draw_due();
}

/// The next instant of the common schedule that is ours.
void Worker::draw_due() {
  next_due_.reset();
  while (const auto due = schedule_->next()) {
    next_number_ = drawn_++;
    const std::uint64_t share =
        spec_->pace->per_credential ? next_number_ % plan_->callers : next_number_;
    if (share % plan_->workers != number_) continue;
    next_due_ = begin_ + *due;
    return;
  }
}

void Worker::loop() {
  for (;;) {
    const Instant now = os::now();
    last_turn_ = now;
    live_->set_in_flight(in_flight_);
    if (stopped_->load(std::memory_order_relaxed)) return;
    if (schedule_)
      turn_open(now);
    else
      turn_closed(now);
    if (now >= next_expiry_) expire(now);
    if (!waking_.empty()) wake_lanes(now);
    if (over(now)) return;
    wait(next_instant());
  }
}

bool Worker::over(Instant now) const {
  if (in_flight_ > 0) return false;
  if (lost_ == slots_.size()) return true;
  if (schedule_) return !next_due_ && backlog_ == 0;
  return now >= end_ || calls_ >= budget_;
}

Instant Worker::next_instant() const {
  Instant next = next_expiry_;
  if (next_due_) next = std::min(next, *next_due_);
  if (!timed_.empty()) next = std::min(next, timed_.top().due);
  for (const auto& [when, lane] : waking_) next = std::min(next, when);
  // Nothing is sent after the end; then only replies are waited for.
  return !schedule_ && last_turn_ < end_ ? std::min(next, end_) : next;
}

void Worker::wait(Instant until) {
  std::array<epoll_event, kEvents> events;  // NOLINT: filled by the kernel
  const Instant now = os::now();
  // Little's law by a clock of the loop's own: calls in flight, while it waits and while it works.
  const auto span = [](Instant from, Instant to) {
    return static_cast<double>((to - from).count());
  };
  audit_.in_flight += (in_flight_before_ + in_flight_) / 2.0 * span(woken_, now);
  Duration timeout =
      std::min<Duration>(until == Instant::max() ? kLongestSleep : until - now, kLongestSleep);
  bool spinning = false;
  if (next_due_) {
    const Duration left = *next_due_ - now;
    spinning = left <= spec_->spin;
    timeout = spinning ? Duration::zero() : std::min(timeout, left - spec_->spin);
  }
  const int count = epoll_.wait(events, timeout);
  woken_ = os::now();
  in_flight_before_ = in_flight_;
  audit_.in_flight += in_flight_ * span(now, woken_);
  for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(count)))
    static_cast<Lane*>(event.data.ptr)->on_ready(event.events);
  // The whole turn: what the loop itself takes is asking too, when nothing came of it.
  if (spinning && count == 0) audit_.spun += woken_ - last_turn_;
}

void Worker::turn_closed(Instant now) {
  while (!timed_.empty() && timed_.top().due <= now) {
    const Timed next = timed_.top();
    timed_.pop();
    if (next.slot->state == Slot::State::resting) begin_next(*next.slot, next.due);
  }
}

void Worker::turn_open(Instant now) {
  while (!timed_.empty() && timed_.top().due <= now) {  // slots that have rested
    Slot& slot = *timed_.top().slot;
    timed_.pop();
    if (slot.state == Slot::State::resting && !take_waiting(slot, now)) give(slot);
  }
  while (next_due_ && *next_due_ <= now) {
    const Due due{*next_due_, next_number_};
    draw_due();
    // At once, so that of several that are due the first does not wait for the others.
    if (Slot* slot = free_slot_for(due.number))
      begin(*slot, due.at, due.number, /*waited=*/false);
    else
      line_up(due);
  }
}

/// A free slot of the credential that the pace gives the call to, or of the next one that has any.
Slot* Worker::free_slot_for(std::uint64_t number) {
  std::uint32_t index = 0;
  if (spec_->pace->per_credential) {
    index = seat_of(number);
    if (seats_[index].free.empty()) return nullptr;
  } else {
    if (with_free_.empty()) return nullptr;
    index = with_free_.front();
    with_free_.pop_front();
  }
  Seat& seat = seats_[index];
  Slot* const slot = seat.free.back();
  seat.free.pop_back();
  if (spec_->pace->per_credential) return slot;
  seat.listed = !seat.free.empty();
  if (seat.listed) with_free_.push_back(index);
  return slot;
}

std::uint32_t Worker::seat_of(std::uint64_t number) const {
  return static_cast<std::uint32_t>(number % plan_->callers / plan_->workers);
}

void Worker::line_up(const Due& due) {
  (spec_->pace->per_credential ? seats_[seat_of(due.number)].waiting : waiting_).push_back(due);
  ++backlog_;
  next_expiry_ = std::min(next_expiry_, due.at + spec_->call_timeout);
}

void Worker::give(Slot& slot) {
  slot.state = Slot::State::free;
  Seat& seat = seats_[slot.caller];
  seat.free.push_back(&slot);
  if (seat.listed || spec_->pace->per_credential) return;
  seat.listed = true;
  with_free_.push_back(slot.caller);
}

bool Worker::take_waiting(Slot& slot, Instant now) {
  auto& waiting = spec_->pace->per_credential ? seats_[slot.caller].waiting : waiting_;
  miss_late(waiting, now);
  if (waiting.empty()) return false;
  const Due due = waiting.front();
  waiting.pop_front();
  --backlog_;
  begin(slot, due.at, due.number, /*waited=*/true);
  return true;
}

void Worker::miss_late(std::deque<Due>& waiting, Instant now) {
  while (!waiting.empty() && waiting.front().at + spec_->call_timeout <= now) {
    waiting.pop_front();
    --backlog_;
    ++outcome_.missed;
  }
}

void Worker::expire(Instant now) {
  if (schedule_) {
    miss_late(waiting_, now);
    for (Seat& seat : seats_) miss_late(seat.waiting, now);
  }
  next_expiry_ = Instant::max();
  for (Slot* slot : slots_) {
    if (slot->state != Slot::State::busy) continue;
    const Instant deadline = slot->due + spec_->call_timeout;
    if (deadline <= now) {
      slot->lane->give_up(*slot);
      if (slot->sent == Instant{}) slot->sent = now;
      settle(*slot, {protocol::Outcome::hung, "no complete reply within the deadline"}, now);
      release(*slot, now, /*resting=*/false);
    } else {
      next_expiry_ = std::min(next_expiry_, deadline);
    }
  }
  if (!waiting_.empty())
    next_expiry_ = std::min(next_expiry_, waiting_.front().at + spec_->call_timeout);
  for (const Seat& seat : seats_)
    if (!seat.waiting.empty())
      next_expiry_ = std::min(next_expiry_, seat.waiting.front().at + spec_->call_timeout);
}

void Worker::wake_lanes(Instant now) {
  const auto due =
      std::ranges::partition(waking_, [now](const auto& each) { return each.first > now; });
  const std::vector<std::pair<Instant, HttpLane*>> woken(due.begin(), due.end());
  waking_.erase(due.begin(), due.end());
  for (const auto& [when, lane] : woken) lane->on_wake(now);
}

PhaseOutcome Worker::finish(Duration cpu_before, Duration waited_before) {
  // Calls that were broken off by a stop are nobody's: they were neither answered nor given time.
  for (Slot* slot : slots_) {
    if (slot->state == Slot::State::busy) slot->lane->give_up(*slot);
    if (slot->state != Slot::State::lost) slot->state = Slot::State::free;
  }
  waking_.clear();
  outcome_.missed += backlog_;
  for (; next_due_; draw_due()) ++outcome_.missed;
  audit_.real = os::now() - begin_;
  audit_.cpu = os::thread_cpu_time() - cpu_before;
  audit_.waited = os::thread_wait_for_core() - waited_before;
  outcome_.workers.push_back(audit_);
  live_->set_in_flight(0);
  return std::exchange(outcome_, {});
}

// --- calls ---------------------------------------------------------------------------------------

void Worker::begin_next(Slot& slot, Instant due) {
  slot.state = Slot::State::free;
  if (due >= end_ || calls_ >= budget_) return;
  begin(slot, due, calls_ * plan_->workers + number_, /*waited=*/false);
}

void Worker::begin(Slot& slot, Instant due, std::uint64_t number, bool waited) {
  ++calls_;
  numbers_used_ = std::max(numbers_used_, number + 1);
  ++in_flight_;
  slot.state = Slot::State::busy;
  slot.due = due;
  slot.sent = {};
  slot.n = number;
  slot.id = static_cast<std::uint32_t>(kFirstId + (plan_->calls_before + number) % kIds);
  slot.operation = choose(slot);
  draw_check(slot);
  slot.retried = false;
  slot.waited = waited;
  next_expiry_ = std::min(next_expiry_, due + spec_->call_timeout);
  slot.lane->send(slot);
}

void Worker::draw_check(Slot& slot) {
  // The first of every operation, so that no phase goes by without one.
  const bool first = !std::exchange(met_[slot.operation], true);
  const std::uint64_t drawn = mix(spec_->seed, slot.id, kPurposeWhole);
  slot.whole = first || drawn % spec_->check_every == 0;
  slot.whole_long = first || drawn % spec_->check_every_long() == 0;
}

std::uint8_t Worker::choose(Slot& slot) const {
  const std::size_t count = spec_->operations.size();
  if (count == 1) return 0;
  if (spec_->alternate) {
    const std::uint16_t turn = slot.turn;
    slot.turn = static_cast<std::uint16_t>((turn + 1U) % count);
    return static_cast<std::uint8_t>(turn);
  }
  const auto& weights = plan_->cumulative_weights;
  const double at = fraction(mix(spec_->seed, slot.n, kPurposeOperation)) * weights.back();
  const auto found = std::ranges::upper_bound(weights, at);
  return static_cast<std::uint8_t>(
      std::min<std::ptrdiff_t>(found - weights.begin(), static_cast<std::ptrdiff_t>(count) - 1));
}

CallNumber Worker::number_of(const Slot& slot) const {
  return {.n = slot.n, .id = slot.id, .seed = spec_->seed};
}

std::string_view Worker::render(const Slot& slot) {
  const auto& variants = plan_->bodies[slot.operation];
  body_.clear();
  variants[slot.n % variants.size()].append(body_, number_of(slot));
  const Seat& seat = seats_[slot.caller];
  if (!seat.caller.http) {
    body_ += '\n';
    return body_;
  }
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), body_.size()).ptr;
  bytes_.assign(seat.heads[slot.operation]);
  bytes_.append(digits.data(), end);
  bytes_.append("\r\n\r\n");
  bytes_.append(body_);
  return bytes_;
}

bool Worker::wants_complete(const Slot& slot) const {
  return plan_->checks[slot.operation]->wants_complete();
}

void Worker::replied(Slot& slot, const LaneReply& reply) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), slot.id).ptr;
  const auto& variants = plan_->bodies[slot.operation];
  const std::string nonce =
      variants[slot.n % variants.size()].has_nonce() ? nonce_of(number_of(slot)) : std::string();
  const bool whole = slot.whole && reply.text.whole();
  const protocol::Verdict verdict =
      plan_->checks[slot.operation]->check({.http_status = reply.http_status,
                                            .text = reply.text,
                                            .plain_id = reply.plain_id,
                                            .expected_id = {digits.data(), end},
                                            .nonce = nonce},
                                           whole);
  OperationTally& tally = outcome_.operations[slot.operation];
  tally.checked_whole += whole;
  if (verdict.outcome == protocol::Outcome::served) {
    tally.message_bytes += reply.text.size();
    tally.wire_bytes += reply.wire_bytes;
    if (reply.http_status == 0)
      ++tally.media.stdio;
    else if (reply.media == transport::ReplyReader::Media::sse)
      ++tally.media.sse;
    else
      ++tally.media.json;
  }
  settle(slot, verdict, reply.done);
  release(slot, reply.done, /*resting=*/false);
}

void Worker::failed(Slot& slot, std::string reason, bool resting) {
  const Instant done = os::now();
  // A call that never reached the kernel was as late as its end.
  if (slot.sent == Instant{}) slot.sent = done;
  settle(slot, {protocol::Outcome::failed, std::move(reason)}, done);
  release(slot, done, resting);
}

void Worker::settle(Slot& slot, const protocol::Verdict& verdict, Instant done) {
  --in_flight_;
  ++outcome_.operations[slot.operation].count[static_cast<std::size_t>(verdict.outcome)];
  outcome_.samples.add(
      Sample({.latency = done - slot.due,
              .service = done - slot.sent,
              .first_event =
                  slot.first_event == Instant{} ? Duration::zero() : slot.first_event - slot.sent,
              .outcome = verdict.outcome,
              .operation = slot.operation,
              .waited = slot.waited}));
  live_->count(verdict.outcome, done - slot.due);
  outcome_.last_done = std::max(outcome_.last_done, done);
  tick(outcome_.sent_per_tick, slot.sent);
  if (verdict.outcome == protocol::Outcome::served) {
    tick(outcome_.served_per_tick, done);
    if (done <= end_) ++outcome_.served_in_window;
  } else {
    outcome_.add_trouble(verdict.outcome, slot.operation, verdict.reason);
  }
  if (done > end_) ++outcome_.overran;
}

void Worker::release(Slot& slot, Instant done, bool resting) {
  if (slot.state == Slot::State::lost) return;
  slot.state = Slot::State::resting;
  if (schedule_) {
    if (resting)
      timed_.push({done + kRest, &slot});
    else if (!take_waiting(slot, done))
      give(slot);
    return;
  }
  const Instant due = done + spec_->think + (resting ? kRest : Duration::zero());
  // Most slots become free in the middle of the phase and send again at once.
  if (spec_->think == Duration::zero() && !resting && done > begin_)
    begin_next(slot, due);
  else
    timed_.push({due, &slot});
}

void Worker::lost(Slot& slot, const std::string& /*reason*/) {
  if (slot.state == Slot::State::lost) return;
  Seat& seat = seats_[slot.caller];
  std::erase(seat.free, &slot);
  if (seat.free.empty() && seat.listed) {
    seat.listed = false;
    std::erase(with_free_, slot.caller);
  }
  slot.state = Slot::State::lost;
  ++lost_;
  ++outcome_.slots_lost;
}

std::string Worker::other_message(std::string_view text) {
  const protocol::Envelope message = protocol::read_message(text);
  const protocol::ClientSession session(*seats_.front().caller.era, plan_->client);
  auto received = session.receive(message);
  using Meaning = protocol::ClientSession::Meaning;
  if (received.meaning == Meaning::notification)
    ++outcome_.notifications;
  else if (received.meaning == Meaning::server_request)
    ++outcome_.server_requests;
  else
    ++outcome_.stray_messages;
  return std::move(received.reply);
}

void Worker::tick(std::vector<std::uint32_t>& ticks, Instant at) const {
  const auto index = static_cast<std::size_t>(std::max<Duration>(at - begin_, Duration::zero()) /
                                              PhaseOutcome::kTick);
  if (ticks.size() <= index) ticks.resize(index + 1);
  ++ticks[index];
}

}  // namespace weighbridge::load::detail

#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "load/caller.h"
#include "load/detail/http_lane.h"
#include "load/detail/request_body.h"
#include "load/detail/stdio_lane.h"
#include "load/live.h"
#include "load/phase_outcome.h"
#include "load/reply_check.h"
#include "load/spec.h"

namespace weighbridge::load::detail {

/// What is the same for every worker of a phase.
struct PhasePlan {
  const Spec* spec = nullptr;
  std::vector<std::unique_ptr<ReplyCheck>> checks;  ///< one for each operation
  /// bodies[operation][i]: its params in turn.
  std::vector<std::vector<RequestBody>> bodies;
  std::vector<double> cumulative_weights;
  std::uint32_t workers = 1;
  std::size_t callers = 1;  ///< of all workers
  Instant begin{};
  /// Calls of earlier phases on the same sessions: no id is used twice.
  std::uint64_t calls_before = 0;
  protocol::ClientInfo client;
};

/// One thread's share of the load: its callers, their lanes, one epoll, one buffer. Shares nothing
/// that is written with the others.
class Worker final : private LaneOwner {
 public:
  static Result<std::unique_ptr<Worker>> create(std::uint32_t number);

  /// `address` must outlive the worker.
  void add_http(Caller caller, const os::Address& address, std::size_t parallel);
  Result<void> add_stdio(Caller caller, std::size_t parallel);
  /// Opens every connection, so many at a time that no listener's queue overflows. The number that
  /// was refused, and the last reason.
  struct Connected {
    std::size_t refused = 0;
    int error = 0;
  };
  Connected connect(Instant deadline);
  /// The children's end of file.
  void close();

  /// Runs the phase on the calling thread. `stopped`: send nothing more and wait for nothing.
  PhaseOutcome run(const PhasePlan& plan, const std::atomic<bool>& stopped, Live& live);

  [[nodiscard]] std::size_t slots() const { return slots_.size(); }
  /// One more than the highest number of a call in the last phase.
  [[nodiscard]] std::uint64_t numbers_used() const { return numbers_used_; }

 private:
  struct Due {
    Instant at;
    std::uint64_t number;
  };
  struct Seat {  // one caller
    Caller caller;
    std::vector<std::string> heads;  // for each operation; empty on stdio
    std::vector<Slot*> free;
    std::deque<Due> waiting;  // per-credential pace
    bool listed = false;      // stands in with_free_
  };
  struct Timed {
    Instant due;
    Slot* slot;
    bool operator>(const Timed& other) const { return due > other.due; }
  };

  explicit Worker(std::uint32_t number, os::Epoll epoll);

  // The phase
  void prepare();
  void arm();
  void loop();
  [[nodiscard]] Instant next_instant() const;
  void wait(Instant until);
  void turn_closed(Instant now);
  void turn_open(Instant now);
  void draw_due();
  void expire(Instant now);
  void wake_lanes(Instant now);
  [[nodiscard]] bool over(Instant now) const;
  PhaseOutcome finish(Duration cpu_before, Duration waited_before);

  // Calls
  void begin(Slot& slot, Instant due, std::uint64_t number, bool waited);
  void begin_next(Slot& slot, Instant due);
  void settle(Slot& slot, const protocol::Verdict& verdict, Instant done);
  void release(Slot& slot, Instant done, bool resting);
  void give(Slot& slot);
  bool take_waiting(Slot& slot, Instant now);
  void miss_late(std::deque<Due>& waiting, Instant now);
  Slot* free_slot_for(std::uint64_t number);
  [[nodiscard]] std::uint32_t seat_of(std::uint64_t number) const;
  void line_up(const Due& due);
  [[nodiscard]] std::uint8_t choose(Slot& slot) const;
  void draw_check(Slot& slot);
  [[nodiscard]] CallNumber number_of(const Slot& slot) const;
  void tick(std::vector<std::uint32_t>& ticks, Instant at) const;

  // LaneOwner
  LaneOwner& owner() { return *this; }
  std::string_view render(const Slot& slot) override;
  [[nodiscard]] bool wants_complete(const Slot& slot) const override;
  void replied(Slot& slot, const LaneReply& reply) override;
  void failed(Slot& slot, std::string reason, bool resting) override;
  void lost(Slot& slot, const std::string& reason) override;
  std::string other_message(std::string_view text) override;
  void wake_at(Instant when, HttpLane& lane) override { waking_.emplace_back(when, &lane); }
  void count_connection() override { ++outcome_.connections_opened; }
  void count_retry() override { ++outcome_.resets_retried; }
  void count_read(std::size_t bytes) override { outcome_.bytes_read += bytes; }
  [[nodiscard]] std::span<char> buffer() override { return {buffer_.get(), kBuffer}; }
  [[nodiscard]] const os::Epoll& epoll() const override { return epoll_; }

  static constexpr std::size_t kBuffer = 256 * 1024;
  static constexpr std::size_t kEvents = 256;

  std::uint32_t number_;
  os::Epoll epoll_;
  std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(kBuffer);
  std::deque<HttpLane> http_;
  std::deque<StdioLane> stdio_;
  std::vector<Slot*> slots_;
  std::vector<Seat> seats_;
  std::vector<std::pair<Instant, HttpLane*>> waking_;
  std::string body_;
  std::string bytes_;

  // Of the phase that runs
  const PhasePlan* plan_ = nullptr;
  const Spec* spec_ = nullptr;
  const std::atomic<bool>* stopped_ = nullptr;
  Live* live_ = nullptr;
  PhaseOutcome outcome_;
  WorkerAudit audit_;
  std::array<bool, kMostOperations> met_{};  // operations that have been called
  Instant begin_{};
  Instant end_{};  // of the sending
  std::uint64_t calls_ = 0;
  std::uint64_t numbers_used_ = 0;
  std::uint64_t budget_ = 0;
  std::uint32_t in_flight_ = 0;
  std::size_t lost_ = 0;
  Instant next_expiry_{};
  Instant last_turn_{};
  // Of the loop's last wait: when it ended, and how many calls were in flight then.
  Instant woken_{};
  double in_flight_before_ = 0;
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> timed_;
  // Open loop
  std::optional<Schedule> schedule_;
  std::optional<Instant> next_due_;  // of ours
  std::uint64_t next_number_ = 0;    // its number
  std::uint64_t drawn_ = 0;          // of all workers' instants
  std::deque<Due> waiting_;
  std::size_t backlog_ = 0;              // over waiting_ and all seats
  std::deque<std::uint32_t> with_free_;  // seats that have a free slot, in turn
};

}  // namespace weighbridge::load::detail

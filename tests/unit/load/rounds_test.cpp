#include "load/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "os/real_clock.h"

namespace weighbridge::load {
namespace {

using protocol::Outcome;

/// A session that answers from the poller, each call after a delay of its own, with what it is
/// told.
class ScriptedSession final : public client::Session {
 public:
  explicit ScriptedSession(os::Poller& poller) : poller_(poller) {}

  std::deque<Duration> delays;  ///< for the next calls; then 0
  std::string message = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  std::size_t most_in_flight = 0;
  std::vector<std::size_t> in_flight_at_start;

  Result<void> open(Instant) override { return {}; }
  void start(const client::Call&, Instant, OnReply on_reply) override {
    in_flight_at_start.push_back(in_flight_);
    most_in_flight = std::max(most_in_flight, ++in_flight_);
    Duration delay{};
    if (!delays.empty()) {
      delay = delays.front();
      delays.pop_front();
    }
    const Instant sent = os::now();
    poller_.at(sent + delay, [this, sent, on_reply = std::move(on_reply)] {
      --in_flight_;
      client::Reply reply;
      reply.sent = sent;
      reply.first_byte = reply.done = os::now();
      reply.media = client::Media::stdio;
      reply.id = "1";
      reply.message = message;
      on_reply(std::move(reply));
    });
  }
  void abort(const Error&) override {}
  void close(Duration) override {}
  [[nodiscard]] const protocol::Era& era() const override { return protocol::newest_era(); }
  [[nodiscard]] const client::ServerIdentity& server() const override { return server_; }
  [[nodiscard]] client::SessionCounters counters() const override { return {}; }
  [[nodiscard]] bool closed() const override { return false; }
  [[nodiscard]] std::size_t in_flight() const override { return in_flight_; }

 protected:
  os::Poller& poller() override { return poller_; }

 private:
  os::Poller& poller_;
  client::ServerIdentity server_;
  std::size_t in_flight_ = 0;
};

class Rounds : public testing::Test {
 protected:
  std::unique_ptr<os::Poller> poller_ = std::move(*os::Poller::create());
  ScriptedSession one_{*poller_};
  ScriptedSession two_{*poller_};
  std::vector<client::Session*> both_{&one_, &two_};
  RoundsSpec spec_{{"tools/list", "{}", {}}, {}, {}, 3, 4, 60s};

  load::Outcome run(const std::function<bool()>& stopped = [] { return false; }) {
    return run_rounds(*poller_, both_, spec_, stopped, [this] { ++completions_; });
  }
  int completions_ = 0;
};

TEST_F(Rounds, FireEverySlotOfEverySessionInEveryRound) {
  const load::Outcome outcome = run();
  EXPECT_EQ(outcome.sent(), 3U * 2U * 4U);
  EXPECT_EQ(outcome.of(Outcome::served).count, 24U);
  EXPECT_EQ(completions_, 24);
  EXPECT_EQ(one_.most_in_flight, 4U);
}

TEST_F(Rounds, WaitForTheSlowestCallBeforeTheNextRound) {
  one_.delays = {30ms};
  run();
  // Calls 5 to 8 of either session belong to round two: the first of them finds nothing in flight.
  EXPECT_EQ(one_.in_flight_at_start.at(4), 0U);
  EXPECT_EQ(two_.in_flight_at_start.at(4), 0U);
}

TEST_F(Rounds, CountLatencyFromTheReleaseOfTheRound) {
  one_.delays = {20ms};
  spec_.rounds = 1;
  const load::Outcome outcome = run();
  const auto& latencies = outcome.of(Outcome::served).latencies;
  EXPECT_GE(*std::ranges::max_element(latencies), 20ms);
  EXPECT_GE(outcome.wall, 20ms);
  EXPECT_EQ(outcome.lateness.size(), 8U);
}

TEST_F(Rounds, ClassifyAnErrorReplyAsFailedHoweverFastItCame) {
  one_.message = R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}})";
  const load::Outcome outcome = run();
  EXPECT_EQ(outcome.of(Outcome::failed).count, 12U);
  EXPECT_EQ(outcome.of(Outcome::served).count, 12U);
  EXPECT_NE(outcome.of(Outcome::failed).first_text.find("no"), std::string::npos);
}

TEST_F(Rounds, StopBetweenRoundsWhenAsked) {
  const load::Outcome outcome = run([this] { return completions_ > 0; });
  EXPECT_EQ(outcome.sent(), 8U);
}

}  // namespace
}  // namespace weighbridge::load

// The lane alone, at the end of a pair of sockets that keep messages apart, so that writes can be
// counted.
#include "load/detail/stdio_lane.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <optional>
#include <vector>

namespace weighbridge::load::detail {
namespace {

using testing::ElementsAre;

/// Gives every slot its next call as soon as it is free, up to a number of calls.
class Owner final : public LaneOwner {
 public:
  explicit Owner(os::Epoll epoll) : epoll_(std::move(epoll)) {}

  void begin(Slot& slot) {
    if (next_id_ > last_id) return;
    slot.id = next_id_++;
    slot.state = Slot::State::busy;
    slot.sent = {};
    slot.lane->send(slot);
  }
  std::string_view render(const Slot& slot) override {
    text_ = fmt::format("call {}\n", slot.id);
    return text_;
  }
  [[nodiscard]] bool wants_complete(const Slot&) const override { return false; }
  void replied(Slot& slot, const LaneReply& /*reply*/) override {
    answered.push_back(slot.id);
    slot.state = Slot::State::free;
    begin(slot);
  }
  void failed(Slot&, std::string, bool) override {}
  void lost(Slot&, const std::string&) override {}
  std::string other_message(std::string_view) override { return {}; }
  void wake_at(Instant, HttpLane&) override {}
  void count_connection() override {}
  void count_retry() override {}
  void count_read(std::size_t) override {}
  [[nodiscard]] std::span<char> buffer() override { return buffer_; }
  [[nodiscard]] const os::Epoll& epoll() const override { return epoll_; }

  std::uint32_t last_id = 0;
  std::vector<std::uint32_t> answered;

 private:
  os::Epoll epoll_;
  std::uint32_t next_id_ = 1;
  std::string text_;
  std::array<char, 65536> buffer_{};
};

class StdioLaneTest : public testing::Test {
 protected:
  StdioLaneTest() : owner_(*os::Epoll::create()) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()),
              0);
    child_ = os::Fd(ends[0]);
    os::Fd read(::dup(ends[1]));
    lane_.emplace(owner_, transport::StdioEnds{os::Fd(ends[1]), std::move(read), {}}, 3);
    EXPECT_TRUE(lane_->watch());
  }

  void begin_all() {
    for (Slot& slot : lane_->slots()) owner_.begin(slot);
  }
  void answer(const std::vector<std::uint32_t>& ids) {
    std::string text;
    for (const std::uint32_t id : ids)
      text += fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{}}}})", id) + "\n";
    ASSERT_EQ(::send(child_.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    lane_->on_ready(EPOLLIN);
  }
  /// What the child reads, write by write.
  std::vector<std::string> writes() {
    std::vector<std::string> all;
    std::array<char, 65536> buffer{};
    for (;;) {
      const ssize_t count = ::recv(child_.get(), buffer.data(), buffer.size(), 0);
      if (count <= 0) return all;
      all.emplace_back(buffer.data(), static_cast<std::size_t>(count));
    }
  }

  Owner owner_;
  os::Fd child_;
  std::optional<StdioLane> lane_;
};

TEST_F(StdioLaneTest, SendsEveryCallAtOnceWhenNoAnswerIsBeingRead) {
  owner_.last_id = 3;
  begin_all();
  EXPECT_THAT(writes(), ElementsAre("call 1\n", "call 2\n", "call 3\n"));
}

TEST_F(StdioLaneTest, SendsTheCallsThatFollowTheAnswersOfOneReadTogether) {
  owner_.last_id = 6;
  begin_all();
  writes();
  answer({2, 1});
  EXPECT_THAT(writes(), ElementsAre("call 4\ncall 5\n"));
  answer({3});
  EXPECT_THAT(writes(), ElementsAre("call 6\n"));
  answer({5, 4, 6});
  EXPECT_THAT(writes(), ElementsAre());
  EXPECT_THAT(owner_.answered, ElementsAre(2, 1, 3, 5, 4, 6));
}

TEST_F(StdioLaneTest, CountsACallAsSentWhenItLeavesAndNotWhenItIsGathered) {
  owner_.last_id = 5;
  begin_all();
  const Slot& first = lane_->slots()[0];
  const Slot& second = lane_->slots()[1];
  answer({1, 2});
  EXPECT_EQ(first.id, 4U);
  EXPECT_EQ(second.id, 5U);
  EXPECT_NE(first.sent, Instant{});
  EXPECT_EQ(first.sent, second.sent);
}

TEST_F(StdioLaneTest, LaysAnAnswerUnderAWrongIdToTheCallThatHasWaitedLongest) {
  owner_.last_id = 4;
  begin_all();
  answer({1});  // its slot is given call 4
  answer({77, 77});
  EXPECT_THAT(owner_.answered, ElementsAre(1, 2, 3));
}

TEST_F(StdioLaneTest, LaysASecondAnswerToACallToNobody) {
  owner_.last_id = 4;
  begin_all();
  answer({1, 2, 3});
  answer({2});
  EXPECT_THAT(owner_.answered, ElementsAre(1, 2, 3));
  answer({4});
  EXPECT_THAT(owner_.answered, ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace weighbridge::load::detail

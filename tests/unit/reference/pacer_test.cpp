#include "reference/pacer.h"

#include <gtest/gtest.h>

#include <vector>

#include "os/real_clock.h"
#include "support.h"

namespace weighbridge::reference {
namespace {

using testing::text_of;

class PacerTest : public ::testing::Test {
 protected:
  /// Sends "0123456789" and waits for its end; the parts as they were written.
  std::vector<std::string> paced() {
    std::vector<std::string> parts;
    bool over = false;
    Pacer pacer(*poller_, plan_, stats_);
    pacer.send(transport::Body(std::string("01234")).add(std::string("56789")),
               {.begin = [&] { parts.emplace_back("begin"); },
                .write = [&](const transport::Body& part) { parts.push_back(text_of(part)); },
                .end = [&] { over = true; }});
    poller_->run_until([&] { return over; }, os::now() + 10s);
    EXPECT_TRUE(over);
    return parts;
  }

  WeightStats stats_;
  WeightPlan plan_;
  std::unique_ptr<os::Poller> poller_ = std::move(*os::Poller::create());
};

TEST_F(PacerTest, CutsAnAnswerIntoChunks) {
  plan_.chunk_bytes = 4;
  EXPECT_EQ(paced(), (std::vector<std::string>{"begin", "0123", "4567", "89"}));
  EXPECT_EQ(stats_.chunks, 3U);
  EXPECT_EQ(stats_.trickles.count, 0U);
}

TEST_F(PacerTest, HoldsTheFirstByteBackAndSaysForHowLong) {
  plan_.first_byte = 20ms;
  const Instant begin = os::now();
  EXPECT_EQ(paced(), (std::vector<std::string>{"begin", "0123456789"}));
  EXPECT_GE(os::now() - begin, 20ms);
  EXPECT_EQ(stats_.first_bytes.count, 1U);
  EXPECT_GE(stats_.first_bytes.made, 20ms);
}

TEST_F(PacerTest, PausesBetweenChunksOnly) {
  plan_.chunk_bytes = 5;
  plan_.trickle = 20ms;
  const Instant begin = os::now();
  EXPECT_EQ(paced(), (std::vector<std::string>{"begin", "01234", "56789"}));
  EXPECT_GE(os::now() - begin, 20ms);
  EXPECT_EQ(stats_.trickles.count, 1U);
  EXPECT_GE(stats_.trickles.made, 20ms);
}

TEST_F(PacerTest, LetsGoOfWhatItHasNotSentWhenItGoes) {
  plan_.first_byte = 10ms;
  bool begun = false;
  {
    Pacer pacer(*poller_, plan_, stats_);
    pacer.send(transport::Body(std::string("x")),
               {.begin = [&] { begun = true; }, .write = [](auto) {}, .end = [] {}});
  }
  poller_->run_once(os::now() + 30ms);
  EXPECT_FALSE(begun);
}

std::string moved(std::vector<std::string> pieces) {
  transport::Body body;
  for (auto& piece : pieces) body.add(std::move(piece));
  return text_of(with_id_last(body));
}

TEST(WithIdLast, PutsTheIdBehindEverythingElse) {
  EXPECT_EQ(moved({R"({"jsonrpc":"2.0","id":7,"result":{)", R"("a":1)", "}}"}),
            R"({"jsonrpc":"2.0","result":{"a":1},"id":7})");
  EXPECT_EQ(moved({R"({"jsonrpc":"2.0","id":7,"result":{}})"}),
            R"({"jsonrpc":"2.0","result":{},"id":7})");
}

TEST(WithIdLast, ReadsIdsThatAreText) {
  EXPECT_EQ(moved({R"({"jsonrpc":"2.0","id":"a,\"b\\","result":{}})"}),
            R"({"jsonrpc":"2.0","result":{},"id":"a,\"b\\"})");
}

TEST(WithIdLast, LeavesWhatHasNoIdThereAsItIs) {
  EXPECT_EQ(moved({"[1]"}), "[1]");
  EXPECT_EQ(moved({R"({"jsonrpc":"2.0","method":"x"})"}), R"({"jsonrpc":"2.0","method":"x"})");
  EXPECT_EQ(moved({}), "");
}

}  // namespace
}  // namespace weighbridge::reference

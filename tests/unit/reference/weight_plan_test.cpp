#include "reference/weight_plan.h"

#include <gtest/gtest.h>

#include "support.h"

namespace weighbridge::reference {
namespace {

Result<CallWeights> read(const std::string& text, const CallWeights& usual = {}) {
  return CallWeights::read(*testing::Arguments(text).get(), usual);
}

TEST(TimedMemory, IsASizeAndMayHaveATime) {
  EXPECT_EQ(TimedMemory::parse("4KiB")->bytes, 4096U);
  EXPECT_EQ(TimedMemory::parse("4KiB")->time, Duration(0));
  EXPECT_EQ(TimedMemory::parse("4KiB/2s")->time, 2s);
  for (const auto* text : {"", "/2s", "4KiB/", "4KiB/x", "x", "4KiB/1s/1s"})
    EXPECT_FALSE(TimedMemory::parse(text)) << text;
}

TEST(CallWeights, OfTheArgumentsTakeThePlaceOfTheUsual) {
  CallWeights usual;
  usual.cpu = 1ms;
  usual.leak.bytes = 7;
  const auto weights = read(R"({"cpu":"5ms","delay":"3ms","peak":"64MiB/10ms","bytes":"1KiB",)"
                            R"("fds":3,"threads":2,"children":1})",
                            usual);
  ASSERT_TRUE(weights) << weights.error().what;
  EXPECT_EQ(weights->cpu, 5ms);
  EXPECT_EQ(weights->delay, Duration(3ms));
  EXPECT_EQ(weights->leak.bytes, 7U);
  EXPECT_EQ(weights->peak.bytes, 64U << 20U);
  EXPECT_EQ(weights->peak.time, 10ms);
  EXPECT_EQ(weights->answer_bytes, 1024U);
  EXPECT_EQ(weights->things.descriptors, 3U);
  EXPECT_EQ(weights->things.threads, 2U);
  EXPECT_EQ(weights->things.children, 1U);
}

TEST(CallWeights, RefuseWhatCannotBeMeant) {
  for (const auto* text :
       {R"({"cpu":5})", R"({"cpu":"much"})", R"({"cpu":"2h"})", R"({"delay":"2h"})",
        R"({"leak":"2GiB"})", R"({"peak":"x"})", R"({"bytes":"2GiB"})", R"({"fds":-1})",
        R"({"threads":1001})", R"({"children":"1"})", R"({"burn":"1ms"})"})
    EXPECT_FALSE(read(text)) << text;
  EXPECT_EQ(read(R"({"burn":"1ms"})").error().what,
            "there is no parameter burn; it takes bytes, children, cpu, delay, fds, leak, peak, "
            "threads");
}

}  // namespace
}  // namespace weighbridge::reference

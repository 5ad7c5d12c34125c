#include "modes/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weighbridge::modes {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kMiB = 1024 * 1024;

sampling::ProcessSample process(pid_t pid, pid_t parent, std::uint64_t mib) {
  sampling::ProcessSample sample;
  sample.pid = pid;
  sample.parent = parent;
  sample.resident_bytes = mib * kMiB;
  return sample;
}

TEST(Processes, CallAProcessALauncherWhenWhatItStartedIsMuchOfTheTree) {
  sampling::MemoryMoment moment;
  // npx, the shell it runs, and the server: npx is heavier than the shell, but not than what is
  // below it.
  moment.processes = {process(10, 1, 60), process(11, 10, 1), process(12, 11, 50)};
  const auto processes = processes_of(moment, {}, plan::Redactor());
  EXPECT_EQ(processes.at(0).role, "launcher");
  EXPECT_EQ(processes.at(1).role, "launcher");
  EXPECT_EQ(processes.at(2).role, "server");
}

TEST(Processes, CarryTheProportionalSetWhereTheKernelOffersIt) {
  sampling::MemoryMoment moment;
  moment.processes = {process(10, 1, 60), process(11, 1, 60)};
  moment.processes[0].proportional_bytes = 40 * kMiB;
  const auto processes = processes_of(moment, {}, plan::Redactor());
  EXPECT_EQ(processes.at(0).proportional_mib, 40.0);
  EXPECT_EQ(processes.at(1).proportional_mib, std::nullopt);
}

TEST(Processes, DoNotCallAServerWithASmallHelperALauncher) {
  sampling::MemoryMoment moment;
  moment.processes = {process(10, 1, 100), process(11, 10, 2)};
  EXPECT_EQ(processes_of(moment, {}, plan::Redactor()).at(0).role, "server");
}

TEST(Sockets, AreNamedByTheirTcpStateAndLeftOutWhereThereAreNone) {
  sampling::TreeSample sample;
  sample.sockets.emplace();
  (*sample.sockets)[1] = 4;
  (*sample.sockets)[10] = 1;
  const auto sockets = sockets_of(sample);
  EXPECT_EQ(sockets.at("ESTABLISHED"), 4U);
  EXPECT_EQ(sockets.at("LISTEN"), 1U);
  EXPECT_EQ(sockets.size(), 2U);
}

TEST(LargestResident, LooksOnlyInsideTheWindow) {
  sampling::Trace trace;
  for (const int second : {1, 2, 3}) {
    sampling::TreeSample sample;
    sample.at = Instant{} + std::chrono::seconds(second);
    sample.resident_bytes = static_cast<std::uint64_t>(second) * 100;
    trace.samples.push_back(sample);
  }
  EXPECT_EQ(largest_resident(trace, Instant{} + 1s, Instant{} + 2s), 200U);
  EXPECT_FALSE(largest_resident(trace, Instant{} + 4s, Instant{} + 5s));
}

TEST(Slope, IsTheLeastSquaresLineThroughTheRamp) {
  std::vector<record::RampPoint> ramp;
  for (int client = 1; client <= 5; ++client)
    ramp.push_back({client, 1.0, 30 + 2.0 * client, true});
  const auto slope = slope_of(ramp);
  ASSERT_TRUE(slope);
  EXPECT_NEAR(slope->per_unit, 2.0, 1e-9);
  EXPECT_EQ(slope->points, 5U);
}

TEST(Slope, IsAbsentUnderThreePoints) {
  EXPECT_FALSE(slope_of({{1, 1, 10, true}, {2, 1, 12, true}}));
}

TEST(MethodOf, KeepsEverySampleInOrderAndTheMedianReplySize) {
  load::Outcome outcome;
  for (const int ms : {3, 1, 2}) {
    const Instant due = Instant{} + 1s;
    outcome.add({due, due, due + std::chrono::milliseconds(ms), protocol::Outcome::served,
                 static_cast<std::uint64_t>(ms) * 10, 0},
                {});
  }
  const record::Method method = method_of("tools/list", "whole listing", outcome, plan::Redactor());
  EXPECT_THAT(method.served.samples_ms, ElementsAre(3, 1, 2));
  EXPECT_EQ(method.reply_bytes, 20U);
  EXPECT_DOUBLE_EQ(method.served.latency->p50_ms, 2);
  EXPECT_EQ(method.sent, 3U);
}

}  // namespace
}  // namespace weighbridge::modes

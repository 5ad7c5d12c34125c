#include "sampling/cpu_ledger.h"

#include <gtest/gtest.h>

namespace weighbridge::sampling {
namespace {

CpuTime spent(Duration total) {
  return {.total = total, .user = total, .system = {}};
}

constexpr pid_t kSupervisor = 10;

LiveCpu live(pid_t pid, pid_t parent, Duration own, Duration children = {},
             std::uint64_t start = 1) {
  return {.pid = pid,
          .start_ticks = start,
          .parent = parent,
          .own = spent(own),
          .children = spent(children)};
}

ReapedCpu reaped(pid_t pid, Duration usage) {
  return {.pid = pid, .usage = spent(usage)};
}

class Ledger : public testing::Test {
 protected:
  Duration after(std::vector<LiveCpu> alive, std::vector<ReapedCpu> ended = {}) {
    return ledger.update(alive, ended).total;
  }
  CpuLedger ledger;
};

TEST_F(Ledger, AddsUpTheLiving) {
  EXPECT_EQ(after({live(20, kSupervisor, 100ms), live(21, 20, 50ms)}), 150ms);
}

TEST_F(Ledger, ReplacesTheLastReadingByTheExactUsageWhenTheSupervisorReaps) {
  after({live(20, kSupervisor, 100ms)});
  EXPECT_EQ(after({}, {reaped(20, 130ms)}), 130ms);
  EXPECT_EQ(after({}), 130ms);
}

TEST_F(Ledger, CountsWhatEndedBeforeItWasEverSeen) {
  EXPECT_EQ(after({}, {reaped(20, 7ms), reaped(21, 8ms)}), 15ms);
}

TEST_F(Ledger, AChildGoesOverIntoTheAccountOfTheParentThatWaitedForIt) {
  after({live(20, kSupervisor, 100ms), live(21, 20, 50ms)});
  EXPECT_EQ(after({live(20, kSupervisor, 100ms, 60ms)}), 160ms);
  // Whose usage in the end holds both.
  EXPECT_EQ(after({}, {reaped(20, 165ms)}), 165ms);
}

TEST_F(Ledger, AChildThatNobodyWaitedForKeepsItsLastReading) {
  after({live(20, kSupervisor, 100ms), live(21, 20, 50ms)});
  EXPECT_EQ(after({live(20, kSupervisor, 110ms)}), 160ms);
  after({live(20, kSupervisor, 110ms), live(22, 20, 30ms)});
  EXPECT_EQ(after({live(20, kSupervisor, 120ms)}), 200ms);
  // The parent's own usage knows nothing of either.
  EXPECT_EQ(after({}, {reaped(20, 120ms)}), 200ms);
}

TEST_F(Ledger, AChildTooShortLivedToBeSeenIsInItsParentsAccount) {
  after({live(20, kSupervisor, 100ms, 0ms)});
  EXPECT_EQ(after({live(20, kSupervisor, 100ms, 40ms)}), 140ms);
}

TEST_F(Ledger, RoundingInTheParentsAccountTakesNothingBack) {
  after({live(20, kSupervisor, 100ms), live(21, 20, 59ms)});
  // 59 ms waited for show as 50: clock ticks of 10 ms.
  EXPECT_EQ(after({live(20, kSupervisor, 100ms, 50ms)}), 159ms);
  EXPECT_EQ(after({live(20, kSupervisor, 101ms, 50ms)}), 160ms);
}

TEST_F(Ledger, AWholeChainThatEndsBetweenTwoReadingsClimbsInOne) {
  after({live(20, kSupervisor, 10ms), live(21, 20, 20ms), live(22, 21, 40ms)});
  EXPECT_EQ(after({live(20, kSupervisor, 10ms)}), 70ms);
  EXPECT_EQ(after({live(20, kSupervisor, 10ms, 60ms)}), 70ms);
  EXPECT_EQ(after({}, {reaped(20, 71ms)}), 71ms);
}

TEST_F(Ledger, AChainReapedFromTheTopInOneReadingIsCountedOnce) {
  after({live(20, kSupervisor, 10ms), live(21, 20, 20ms)});
  EXPECT_EQ(after({}, {reaped(20, 31ms)}), 31ms);
}

TEST_F(Ledger, AnOrphanIsCountedWhenItsParentHasEndedAndWhenItEndsItself) {
  after({live(20, kSupervisor, 10ms), live(21, 20, 20ms)});
  EXPECT_EQ(after({live(21, kSupervisor, 25ms)}, {reaped(20, 11ms)}), 36ms);
  EXPECT_EQ(after({}, {reaped(21, 30ms)}), 41ms);
}

TEST_F(Ledger, ParentAndOrphanEndingInOneReadingAreBothCounted) {
  after({live(20, kSupervisor, 10ms), live(21, 20, 20ms)});
  EXPECT_EQ(after({}, {reaped(20, 11ms), reaped(21, 30ms)}), 41ms);
}

TEST_F(Ledger, ARecordThatComesLateTakesThePlaceOfTheLastReading) {
  after({live(20, kSupervisor, 100ms)});
  EXPECT_EQ(after({}), 100ms);
  EXPECT_EQ(after({}, {reaped(20, 130ms)}), 130ms);
}

TEST_F(Ledger, AnAttachedProcessThatEndsKeepsItsLastReadingForEver) {
  after({live(20, 1, 100ms)});
  for (int update = 0; update < 100; ++update) EXPECT_EQ(after({}), 100ms);
}

TEST_F(Ledger, ANumberThatIsUsedAgainIsAnotherProcess) {
  after({live(20, kSupervisor, 100ms, 0ms, /*start=*/1)});
  EXPECT_EQ(after({live(20, kSupervisor, 5ms, 0ms, /*start=*/2)}), 105ms);
}

TEST_F(Ledger, NeverDecreases) {
  after({live(20, kSupervisor, 100ms)});
  EXPECT_EQ(after({live(20, kSupervisor, 90ms)}), 100ms);
  after({live(20, kSupervisor, 100ms), live(21, 20, 50ms)});
  // Waited for, after the parent was read: missing for one reading.
  EXPECT_EQ(after({live(20, kSupervisor, 100ms, 0ms)}), 150ms);
  EXPECT_EQ(after({live(20, kSupervisor, 100ms, 50ms)}), 150ms);
}

TEST_F(Ledger, KeepsUserAndSystemApart) {
  const std::vector<LiveCpu> alive{{.pid = 20,
                                    .start_ticks = 1,
                                    .parent = kSupervisor,
                                    .own = {.total = 31ms, .user = 20ms, .system = 10ms},
                                    .children = {.total = 30ms, .user = 10ms, .system = 20ms}}};
  const CpuTime sum = ledger.update(alive, {});
  EXPECT_EQ(sum.total, 61ms);
  EXPECT_EQ(sum.user, 30ms);
  EXPECT_EQ(sum.system, 30ms);
}

TEST_F(Ledger, ACircleOfParentsDoesNotHoldIt) {
  after({live(20, 21, 1ms), live(21, 20, 2ms)});
  EXPECT_EQ(after({}), 3ms);
}

}  // namespace
}  // namespace weighbridge::sampling

// What the sampler shows of processor time, against processes that burn a known amount.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "os/real_clock.h"
#include "sampling/sampler.h"
#include "worker.h"

namespace weighbridge::sampling {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

/// What of `spent` a reading between two steps of a worker must show: 3 %, and what the steps
/// themselves cost.
void expect_spent(Duration spent, Duration shown, Duration rounding = 0ms) {
  const Duration tolerance = spent * 3 / 100 + rounding;
  EXPECT_GE(shown, spent - tolerance) << to_milliseconds(shown) << " ms";
  EXPECT_LE(shown, spent + tolerance + 1ms) << to_milliseconds(shown) << " ms";
}

TEST_F(SamplerTest, ShowsWhatAProcessBurns) {
  const auto sampler = sample();
  const Worker worker(*supervisor, {"say", "hear", "burn", "300", "say", "stay"});
  worker.wait_until_it_says();
  const Duration before = sampler->read_now().cpu;
  worker.go_on();
  worker.wait_until_it_says();
  expect_spent(300ms, sampler->read_now().cpu - before);
}

TEST_F(SamplerTest, ShowsWhatThreadsBurnThoughTheyHaveEnded) {
  const auto sampler = sample();
  const Worker worker(*supervisor, {"say", "hear", "threads", "3", "100", "say", "stay"});
  worker.wait_until_it_says();
  const Duration before = sampler->read_now().cpu;
  worker.go_on();
  worker.wait_until_it_says();
  expect_spent(300ms, sampler->read_now().cpu - before);
}

TEST_F(SamplerTest, ShowsWhatAnUnseenChildBurntThatItsParentWaitedFor) {
  const auto sampler = sample();
  const Worker worker(*supervisor, {"say", "hear", "run", "burn,300", "say", "hear"});
  worker.wait_until_it_says();
  const Duration before = sampler->read_now().cpu;
  worker.go_on();
  worker.wait_until_it_says();
  // The parent's account has clock ticks of 10 ms, once for user and once for system time.
  expect_spent(300ms, sampler->read_now().cpu - before, 20ms);
  worker.go_on();
  ASSERT_TRUE(supervisor->wait_for_exit(worker.pid(), os::now() + 30s));
  const TreeSample after = sampler->read_now();
  EXPECT_EQ(after.processes, 0U);
  expect_spent(300ms, after.cpu - before);
}

TEST_F(SamplerTest, ShowsTheSameOfAnAttachedProcess) {
  const Worker worker(*supervisor,
                      {"say", "hear", "burn", "150", "run", "burn,150", "say", "stay"});
  worker.wait_until_it_says();
  const auto sampler = attach(worker);
  const Duration before = sampler->read_now().cpu;
  worker.go_on();
  worker.wait_until_it_says();
  expect_spent(300ms, sampler->read_now().cpu - before, 20ms);
  EXPECT_EQ(sampler->trace().cpu_source, CpuSource::processes);
}

TEST_F(SamplerTest, ShowsWhatAnOrphanBurnsWhileItLivesAndWhenItHasEnded) {
  const auto sampler = sample();
  const Worker worker(*supervisor, {"say", "hear", "start", "hear,burn,300,say,hear"});
  worker.wait_until_it_says();
  worker.go_on();
  ASSERT_TRUE(supervisor->wait_for_exit(worker.pid(), os::now() + 30s));
  const TreeSample before = sampler->read_now();
  EXPECT_EQ(before.processes, 1U);
  worker.go_on();
  worker.wait_until_it_says();
  expect_spent(300ms, sampler->read_now().cpu - before.cpu);
  worker.go_on();
  for (int tries = 0; tries < 30'000 && supervisor->exited().size() < 2; ++tries) ::usleep(1000);
  const TreeSample after = sampler->read_now();
  EXPECT_EQ(after.processes, 0U);
  expect_spent(300ms, after.cpu - before.cpu);
  const Trace trace = sampler->stop();
  EXPECT_TRUE(std::any_of(trace.processes.begin(), trace.processes.end(),
                          [](const ProcessLife& life) { return life.orphaned; }));
}

TEST_F(SamplerTest, ShowsWhatChildrenBurnThatNobodyWaitsFor) {
  if (!supervisor->cgroup_cpu()) GTEST_SKIP() << "only a cgroup knows, and none can be made here";
  const auto sampler = sample();
  std::vector<std::string> words{"reap-nothing", "say", "hear"};
  for (int child = 0; child < 20; ++child) words.insert(words.end(), {"run", "burn,10"});
  words.insert(words.end(), {"say", "stay"});
  const Worker worker(*supervisor, words);
  worker.wait_until_it_says();
  const Duration before = sampler->read_now().cpu;
  worker.go_on();
  worker.wait_until_it_says();
  const TreeSample after = sampler->read_now();
  const Trace trace = sampler->stop();
  // Twenty forks cost something of their own.
  EXPECT_GE(after.cpu - before, 194ms);
  EXPECT_LE(after.cpu - before, 250ms);
  EXPECT_EQ(trace.cpu_source, CpuSource::processes_or_cgroup);
  EXPECT_GE(trace.cpu_only_in_cgroup, 150ms);
}

TEST_F(SamplerTest, SaysThatSuchChildrenAreLostWithoutACgroup) {
  const Worker worker(*supervisor, {"reap-nothing", "say", "stay"});
  worker.wait_until_it_says();
  const auto sampler = attach(worker);
  sampler->read_now();
  EXPECT_THAT(sampler->trace().missing,
              Contains(Field(&MissingSource::source, HasSubstr("not waited for"))));
}

TEST_F(SamplerTest, LosesAndDoublesNothingInAStormOfShortLives) {
  const auto sampler = sample(2ms);
  std::vector<std::string> words;
  for (int round = 0; round < 100; ++round)
    words.insert(words.end(), {"run", "start,burn+3,burn,2", "start", "burn,4", "burn", "1"});
  const Worker worker(*supervisor, words);
  ASSERT_TRUE(supervisor->wait_for_exit(worker.pid(), os::now() + 60s));
  (void)supervisor->end_all();
  const Trace trace = sampler->stop();
  for (std::size_t i = 1; i < trace.samples.size(); ++i)
    ASSERT_GE(trace.samples[i].cpu, trace.samples[i - 1].cpu) << i;
  // Every process was reaped in the end, exactly.
  const Duration truth = reaped();
  const Duration shown = trace.samples.back().cpu;
  EXPECT_GE(shown, truth - 1ms);
  EXPECT_LE(shown, truth + truth / 50)
      << to_milliseconds(shown) << " for " << to_milliseconds(truth) << " ms";
}

TEST_F(SamplerTest, NeverShowsMoreThanWasSpentWhileProcessesEnd) {
  // A total that runs ahead of the truth for one tick would be kept by every later one.
  const auto sampler = sample(1ms);
  std::vector<std::string> words;
  for (int child = 0; child < 30; ++child) words.insert(words.end(), {"run", "burn,10"});
  words.insert(words.end(), {"say", "stay"});
  const Worker worker(*supervisor, words);
  worker.wait_until_it_says();
  const Duration shown = sampler->read_now().cpu;
  (void)supervisor->end_all();
  EXPECT_LE(shown, reaped() + 1ms);
}

}  // namespace
}  // namespace weighbridge::sampling

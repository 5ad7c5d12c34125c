#include "sampling/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "os/real_clock.h"
#include "os/supervisor.h"
#include "worker.h"

namespace weighbridge::sampling {
namespace {

using testing::HasSubstr;

TEST_F(SamplerTest, ShowsHeldMemory) {
  const auto sampler = sample();
  const Worker worker(*supervisor, {"say", "hear", "hold", "64", "say", "stay"});
  worker.wait_until_it_says();
  const TreeSample before = sampler->read_now();
  worker.go_on();
  worker.wait_until_it_says();
  const TreeSample after = sampler->read_now();
  EXPECT_NEAR(static_cast<double>(after.resident_bytes - before.resident_bytes), 64.0 * kMib,
              0.5 * kMib);
  const MemoryMoment moment = sampler->read_moment();
  EXPECT_LE(moment.proportional_bytes.value(), moment.resident_bytes);
  EXPECT_GE(moment.private_dirty_bytes.value(), 64 * kMib);
  ASSERT_EQ(moment.processes.size(), 1U);
  EXPECT_EQ(moment.processes[0].pid, worker.pid());
  EXPECT_EQ(moment.processes[0].proportional_bytes, moment.proportional_bytes);
}

TEST_F(SamplerTest, SeesAPeakBetweenTwoReadings) {
  const auto sampler = sample();
  const Worker worker(*supervisor,
                      {"peak", "128", "1", "say", "hear", "peak", "64", "20", "say", "stay"});
  worker.wait_until_it_says();
  // The peak of the start is not this phase's.
  ASSERT_TRUE(sampler->reset_high_water());
  const TreeSample before = sampler->read_now();
  EXPECT_LT(before.high_water_bytes.value(), before.resident_bytes + 8 * kMib);
  worker.go_on();
  worker.wait_until_it_says();
  const TreeSample after = sampler->read_now();
  EXPECT_NEAR(static_cast<double>(after.high_water_bytes.value() - before.resident_bytes),
              64.0 * kMib, 1.0 * kMib);
  EXPECT_LT(after.resident_bytes, before.resident_bytes + 8 * kMib);
}

TEST_F(SamplerTest, CountsProcessesThreadsDescriptorsAndSockets) {
  const auto sampler = sample();
  const Worker worker(
      *supervisor, {"start", "stay", "say", "hear", "listen", "5", "start", "stay", "say", "stay"});
  worker.wait_until_it_says();
  const TreeSample before = sampler->read_now();
  EXPECT_EQ(before.processes, 2U);
  EXPECT_EQ(before.threads, 2U);
  worker.go_on();
  worker.wait_until_it_says();
  const TreeSample after = sampler->read_now();
  EXPECT_EQ(after.processes, 3U);
  // A listener, five connections and their other ends; and again in the child that inherits them,
  // with its own three streams.
  EXPECT_EQ(*after.descriptors, *before.descriptors + 11 + 11 + 3);
  ASSERT_TRUE(before.sockets && after.sockets);
  EXPECT_EQ((*before.sockets)[10], 0U);
  EXPECT_EQ((*after.sockets)[10], 1U);
  EXPECT_EQ((*after.sockets)[1], 10U);
}

TEST_F(SamplerTest, AChildThatHasEndedAndWasNotWaitedForIsNoProcessAnyMore) {
  const auto sampler = sample();
  const Worker worker(*supervisor, {"start", "burn,50", "say", "stay"});
  worker.wait_until_it_says();
  TreeSample last = sampler->read_now();
  for (int tries = 0; tries < 30'000 && last.processes != 1; ++tries) {
    ::usleep(1000);
    last = sampler->read_now();
  }
  EXPECT_EQ(last.processes, 1U);
  EXPECT_EQ(last.threads, 1U);
  EXPECT_TRUE(last.high_water_bytes && last.descriptors);
  EXPECT_GE(last.cpu, 50ms);  // what it used is still in the account
}

TEST_F(SamplerTest, ListsEveryProcessOfALauncherChain) {
  const auto sampler = sample();
  const auto child = supervisor->spawn(
      {.argv = {"/bin/sh", "-c", "sh -c 'sleep 1000; true'; true"}, .environment = {"PATH=/bin"}});
  ASSERT_TRUE(child);
  const auto settled = [&] {
    const Trace trace = sampler->trace();
    return std::any_of(trace.processes.begin(), trace.processes.end(),
                       [](const ProcessLife& life) { return life.command == "sleep 1000"; });
  };
  for (int tries = 0; tries < 30'000 && !settled(); ++tries) {
    sampler->read_now();
    ::usleep(1000);
  }
  const Trace trace = sampler->stop();
  ASSERT_EQ(trace.processes.size(), 3U);
  EXPECT_EQ(trace.processes[0].command, "/bin/sh -c sh -c 'sleep 1000; true'; true");
  EXPECT_EQ(trace.processes[1].command, "sh -c sleep 1000; true");
  for (const ProcessLife& life : trace.processes) EXPECT_FALSE(life.orphaned);
  EXPECT_EQ(trace.samples.back().processes, 3U);
}

TEST_F(SamplerTest, TellsAnOrphanItHasNeverSeenWithItsParent) {
  const Worker worker(*supervisor, {"start", "say,stay"});
  worker.wait_until_it_says();
  ASSERT_TRUE(supervisor->wait_for_exit(worker.pid(), os::now() + 30s));
  const auto sampler = sample();
  const Trace trace = sampler->stop();
  ASSERT_EQ(trace.processes.size(), 1U);
  EXPECT_TRUE(trace.processes[0].orphaned);
}

TEST_F(SamplerTest, TakesInProcessesAttachedLaterAndFollowsTheirOrphans) {
  const Worker first(*supervisor, {"say", "stay"});
  const Worker second(*supervisor, {"start", "say,stay", "hear"});
  first.wait_until_it_says();
  second.wait_until_it_says();
  const auto sampler = attach(first);
  EXPECT_EQ(sampler->read_now().processes, 1U);
  sampler->add_root(second.pid());
  EXPECT_EQ(sampler->read_now().processes, 3U);
  second.go_on();
  ASSERT_TRUE(supervisor->wait_for_exit(second.pid(), os::now() + 30s));
  EXPECT_EQ(sampler->read_now().processes, 2U);
  const Trace trace = sampler->stop();
  EXPECT_EQ(std::count_if(trace.processes.begin(), trace.processes.end(),
                          [](const ProcessLife& life) { return life.orphaned; }),
            1);
}

TEST_F(SamplerTest, AnAttachedProcessThatIsNotThereIsAnError) {
  const Worker worker(*supervisor, {});
  ASSERT_TRUE(supervisor->wait_for_exit(worker.pid(), os::now() + 30s));
  const auto sampler =
      Sampler::start({.supervisor = nullptr, .pids = {worker.pid()}}, kOnlyWhenAsked);
  ASSERT_FALSE(sampler);
  EXPECT_EQ(sampler.error().code, ErrorCode::target);
  EXPECT_THAT(sampler.error().what, HasSubstr(std::to_string(worker.pid())));
}

TEST_F(SamplerTest, AnIntervalThatWouldWeighTheSamplerIsAnError) {
  const auto sampler = Sampler::start({.supervisor = supervisor.get(), .pids = {}}, 999us);
  ASSERT_FALSE(sampler);
  EXPECT_EQ(sampler.error().code, ErrorCode::usage);
}

TEST_F(SamplerTest, ReadsOnItsOwnAtItsInterval) {
  const auto sampler = sample(5ms);
  const Worker worker(*supervisor, {"say", "stay"});
  worker.wait_until_it_says();
  const auto enough = [&] {
    const auto samples = sampler->trace().samples;
    return samples.size() > 20 && samples.back().processes == 1;
  };
  for (int tries = 0; tries < 30'000 && !enough(); ++tries) ::usleep(1000);
  const Trace trace = sampler->stop();
  ASSERT_GT(trace.samples.size(), 20U);
  EXPECT_EQ(trace.interval, 5ms);
  for (std::size_t i = 1; i < trace.samples.size(); ++i)
    EXPECT_GT(trace.samples[i].at, trace.samples[i - 1].at);
  EXPECT_GT(trace.sampler_cpu, 0ns);
}

TEST_F(SamplerTest, CanBeAskedFromOtherThreadsWhileItRuns) {
  const auto sampler = sample(1ms);
  const Worker worker(*supervisor, {"threads", "2", "100", "stay"});
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 30; ++round) {
        sampler->read_now();
        sampler->read_moment();
        (void)sampler->trace();
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_GE(sampler->stop().samples.size(), 90U);
}

TEST_F(SamplerTest, OutlivesItsTarget) {
  const auto sampler = sample(1ms);
  const Worker worker(*supervisor, {"hold", "8", "say", "stay"});
  worker.wait_until_it_says();
  const TreeSample alive = sampler->read_now();
  (void)supervisor->end_all();
  const TreeSample ended = sampler->read_now();
  EXPECT_EQ(ended.processes, 0U);
  EXPECT_EQ(ended.resident_bytes, 0U);
  EXPECT_GE(ended.cpu, alive.cpu);
  EXPECT_GE(ended.minor_faults, alive.minor_faults);
  EXPECT_GE(ended.read_bytes.value(), alive.read_bytes.value());
}

// As an ordinary user, on a process that keeps its affairs to itself. Returns what failed.
int weigh_a_hidden_process() {
  const auto supervisor = os::Supervisor::start("/proc/self/exe");
  if (!supervisor) return 77;
  const Worker worker(**supervisor, {"hide", "say", "stay"});
  if (worker.pid() == 0) return 77;
  worker.wait_until_it_says();
  const auto sampler =
      Sampler::start({.supervisor = supervisor->get(), .pids = {}}, kOnlyWhenAsked).value();
  const TreeSample sample = sampler->read_now();
  if (sample.processes != 1 || sample.resident_bytes == 0) return 1;
  if (sample.read_bytes || sample.sockets) return 2;
  if (sampler->read_moment().proportional_bytes) return 3;
  if (sampler->reset_high_water()) return 4;
  const auto missing = sampler->trace().missing;
  for (const char* each : {"(io)", "(smaps_rollup)", "(clear_refs)", "sockets"})
    if (std::none_of(missing.begin(), missing.end(), [&](const MissingSource& source) {
          return source.source.find(each) != std::string::npos;
        }))
      return 5;
  return 0;
}

TEST(SamplerOfAHiddenProcess, NamesWhatItCannotReadAndShowsTheRest) {
  constexpr uid_t kNobody = 65534;
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(77);
    ::_exit(weigh_a_hidden_process());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the test programs are out of nobody's reach";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(SamplerTest, TellsItsLastTwoReadingsOlderFirst) {
  const auto sampler = sample(kOnlyWhenAsked);
  EXPECT_EQ(sampler->latest().second.at, Instant{}) << "there is only the first reading yet";
  const TreeSample older = sampler->read_now();
  const TreeSample newer = sampler->read_now();
  EXPECT_EQ(sampler->latest().first.at, older.at);
  EXPECT_EQ(sampler->latest().second.at, newer.at);
}

TEST_F(SamplerTest, CostsLittle) {
  const Worker worker(*supervisor, {"say", "stay"});
  worker.wait_until_it_says();
  const auto sampler = sample(100ms);
  const Instant start = os::now();
  std::this_thread::sleep_for(2s);
  const Trace trace = sampler->stop();
  const double share = to_seconds(trace.sampler_cpu) / to_seconds(os::now() - start);
  RecordProperty("percent_of_a_core", std::to_string(share * 100));
  // The aim is 0.3 % of a core; ten times that allows for sanitizers and a busy machine.
  EXPECT_LT(share, 0.03);
}

}  // namespace
}  // namespace weighbridge::sampling

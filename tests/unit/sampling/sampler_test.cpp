#include "sampling/sampler.h"

#include <gtest/gtest.h>

#include <thread>

#include "os/real_clock.h"
#include "os/supervisor.h"

namespace weighbridge::sampling {
namespace {

os::SpawnRequest shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}};
}

TEST(Sampler, SeesTheProcessesUnderASupervisorAndKeepsWhatTheyUsedWhenTheyEnd) {
  auto supervisor = os::Supervisor::start("/proc/self/exe").value();
  auto sampler = Sampler::start({.supervisor = supervisor.get(), .pids = {}}, 10ms).value();
  const auto child = supervisor->spawn(
      shell("i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; sleep 1000; true"));
  ASSERT_TRUE(child);
  while (sampler->read_now().processes < 2) std::this_thread::sleep_for(5ms);
  const TreeSample alive = sampler->read_now();
  EXPECT_GT(alive.resident_bytes, 1U << 20);
  EXPECT_GT(alive.cpu, 5ms);
  (void)supervisor->end_all();
  const Trace trace = sampler->stop();
  EXPECT_EQ(trace.samples.back().processes, 0U);
  EXPECT_GE(trace.samples.back().cpu, alive.cpu);
  EXPECT_EQ(trace.processes.size(), 2U);
}

}  // namespace
}  // namespace weighbridge::sampling

#include "record/calibration.h"

#include <gtest/gtest.h>

namespace weighbridge::record {
namespace {

Host a_host() {
  Host host;
  host.cpu_model = "AMD EPYC";
  host.cpu_mhz = 2450;
  host.logical_cpus = 2;
  host.memory_gib = 23.5;
  host.kernel = "6.18.44";
  host.distribution = "Debian 12";
  host.architecture = "x86_64";
  host.load_average_1m = 0.2;
  return host;
}

TEST(SameMachine, LooksThroughWhatChangesFromRunToRun) {
  Host later = a_host();
  later.load_average_1m = 13;
  later.cpu_mhz = 3100;
  later.disk_kind = "network";
  later.file_system = "tmpfs";
  later.memory_gib += 0.01;
  EXPECT_TRUE(same_machine(a_host(), later));
}

TEST(SameMachine, IsNotOneWithAnotherProcessorKernelOrMemory) {
  const auto differs = [](auto change) {
    Host other = a_host();
    change(other);
    return !same_machine(a_host(), other);
  };
  EXPECT_TRUE(differs([](Host& host) { host.cpu_model = "Intel Xeon"; }));
  EXPECT_TRUE(differs([](Host& host) { host.logical_cpus = 4; }));
  EXPECT_TRUE(differs([](Host& host) { host.memory_gib = 7.8; }));
  EXPECT_TRUE(differs([](Host& host) { host.kernel = "6.1.0"; }));
  EXPECT_TRUE(differs([](Host& host) { host.distribution = "Debian 13"; }));
  EXPECT_TRUE(differs([](Host& host) { host.architecture = "aarch64"; }));
  EXPECT_TRUE(differs([](Host& host) { host.governor = "powersave"; }));
}

TEST(SameBuild, IsNotOneOfAnotherCommitCompilerOrKind) {
  const Build build{"0.1.0", "a8963e7", "g++ 12.2.0", "Release"};
  EXPECT_TRUE(same_build(build, build));
  for (auto member : {&Build::version, &Build::commit, &Build::compiler, &Build::build_type}) {
    Build other = build;
    other.*member += "x";
    EXPECT_FALSE(same_build(build, other));
  }
}

TEST(AllWithin, IsOnlyACalibrationInWhichEveryWeightWasJudgedAndFoundGood) {
  Calibration calibration;
  calibration.weights.resize(2);
  calibration.weights[0].verdict = WeightVerdict::within;
  calibration.weights[1].verdict = WeightVerdict::within;
  EXPECT_TRUE(all_within(calibration));
  calibration.weights[1].verdict = WeightVerdict::too_few_quiet;
  EXPECT_FALSE(all_within(calibration));
  calibration.weights[1].verdict = WeightVerdict::outside;
  EXPECT_FALSE(all_within(calibration));
}

}  // namespace
}  // namespace weighbridge::record

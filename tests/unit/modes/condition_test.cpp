#include <gtest/gtest.h>

#include "modes/load_run.h"

namespace weighbridge::modes {
namespace {

bool true_of(const char* text, const record::LoadStep& step) {
  const auto condition = parse_condition(text);
  EXPECT_TRUE(condition) << text;
  return condition && comes_true(*condition, step);
}

TEST(Condition, ComparesLatenciesInAnyUnit) {
  record::LoadStep step;
  step.latency =
      record::Latency{.p50_ms = 10, .p90_ms = 50, .p99_ms = 200, .p999_ms = 300, .max_ms = 400};
  EXPECT_FALSE(true_of("p99>200ms", step));
  EXPECT_TRUE(true_of("p99>199ms", step));
  EXPECT_TRUE(true_of(" p99 > 0.199s ", step));
  EXPECT_TRUE(true_of("p50>9999us", step));
  EXPECT_FALSE(true_of("p90>50ms", step));
  EXPECT_TRUE(true_of("p99.9>299ms", step));
  EXPECT_TRUE(true_of("max>399ms", step));
}

TEST(Condition, FallsBackOnTheMaximumWhereThereAreTooFewCalls) {
  record::LoadStep step;
  step.latency = record::Latency{.p50_ms = 10, .max_ms = 400};
  EXPECT_TRUE(true_of("p99>200ms", step));
}

TEST(Condition, IsTrueOfAStepThatServedNothing) {
  EXPECT_TRUE(true_of("p99>1h", {}));
}

TEST(Condition, CountsWhatWasNotServed) {
  record::LoadStep step;
  step.sent = 1000;
  step.failed = 10;
  step.hung = 1;
  EXPECT_FALSE(true_of("failed>1%", step));
  EXPECT_TRUE(true_of("failed>0.9%", step));
  EXPECT_TRUE(true_of("failed>9", step));
  EXPECT_TRUE(true_of("hung>0", step));
  EXPECT_FALSE(true_of("refused>0", step));
}

TEST(Condition, RefusesWhatItDoesNotUnderstand) {
  for (const char* text :
       {"", "p99", "p99<1s", "p98>1s", "p99>x", "failed>1s", "failed>-1", "hung>", ">1s"}) {
    const auto condition = parse_condition(text);
    ASSERT_FALSE(condition) << text;
    EXPECT_EQ(condition.error().code, ErrorCode::usage);
  }
}

}  // namespace
}  // namespace weighbridge::modes

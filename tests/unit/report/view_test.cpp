#include "report/view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "example_record.h"

namespace weighbridge::report {
namespace {

TEST(View, DoubtsOfOneKindAndAdviceStandTogether) {
  const View view = view_of(whole_record());
  ASSERT_EQ(view.doubts.size(), 2U);
  EXPECT_EQ(view.doubts[0].kind, "missing_source");
  EXPECT_EQ(view.doubts[1].kind, "driver_limited");
  ASSERT_EQ(view.doubts[1].places.size(), 2U);
  EXPECT_EQ(view.doubts[1].places[1].where, "http-dynamic, repeat 3, load");
}

TEST(View, CountsOutcomesWithoutPoolingThem) {
  // Two scenarios with 9 refused, 3 failed and 40 hung of 288 + 2304 + 40 calls, one with all
  // served.
  EXPECT_EQ(view_of(whole_record()).outcomes,
            "Of 6128 calls of the load, 6024 were served, 18 refused, 6 failed and 80 hung.");
  EXPECT_EQ(view_of(quick_record()).outcomes, "All 4 calls of the load were served.");
}

TEST(View, KeepsTheFirstWordsOfEveryKindOfTrouble) {
  const View view = view_of(whole_record());
  ASSERT_EQ(view.first_texts.size(), 6U);
  EXPECT_EQ(view.first_texts[0].outcome, "refused");
  EXPECT_EQ(view.first_texts[0].text, "429: slow down | please");
  EXPECT_EQ(view.first_texts[2].outcome, "hung");
}

TEST(View, CommandsCanBePastedIntoAShell) {
  EXPECT_EQ(view_of(whole_record()).commands[0].words,
            "npx -y ticket-gateway '--token=***' '--note=it'\\''s a | bar'");
}

TEST(View, UnknownHostFactsHaveNoLine) {
  record::Record run = whole_record();
  run.host.governor.clear();
  run.host.cpu_mhz.reset();
  const View view = view_of(run);
  EXPECT_TRUE(std::ranges::none_of(view.host, [](const Fact& fact) {
    return fact.name == "Governor" || fact.name == "Clock" || fact.value.empty();
  }));
}

}  // namespace
}  // namespace weighbridge::report

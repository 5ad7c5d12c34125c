#include "report/load_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/markdown.h"
#include "report/terminal.h"

namespace weighbridge::report {
namespace {

using testing::HasSubstr;
using testing::Not;

record::LoadRecord two_steps() {
  record::LoadRecord record;
  record.name = "notes";
  record.server.emplace().name = "notes-server";
  record.server->version = "2.1";
  record.server->revision = "2025-11-25";
  record.server->transport = "http";
  record.server->command = {"notes", "--port=1", "two words"};
  record.settings.arrivals = "constant";
  record.settings.operations = {{"tools/call", "find", 3, 1, "contains \"x\""},
                                {"tools/list", "", 1, 1, ""}};
  for (const double rate : {100.0, 200.0}) {
    record::LoadStep& step = record.steps.emplace_back();
    step.name = rate == 100 ? "100/s" : "200/s";
    step.offered_rate = rate;
    step.rate = rate - 1;
    step.sent = step.served = 1000;
    step.latency =
        record::Latency{.count = 1000, .p50_ms = 1.25, .p90_ms = 3, .p99_ms = 8, .max_ms = 9.5};
    step.operations = {{"tools/call", "find", 750, 750}, {"tools/list", "", 250, 250}};
  }
  return record;
}

std::string screen(const record::LoadRecord& record) {
  return to_terminal(view_of(record), {.width = 140});
}

TEST(LoadView, QuotesHowAccurateTheHostIs) {
  auto record = two_steps();
  EXPECT_THAT(screen(record), HasSubstr("Run: weighbridge calibrate"));
  record.accuracy = record::Accuracy{.calibrated_at = "2026-11-30T17:00:00Z",
                                     .memory_percent = {},
                                     .cpu_percent = {},
                                     .p99_us = 90,
                                     .weights = 1,
                                     .weights_within = 1};
  EXPECT_THAT(screen(record), HasSubstr("On this host: p99 ±90 µs"));
}

TEST(LoadView, ShowsEveryStepWithItsRateAndLatency) {
  const std::string text = screen(two_steps());
  EXPECT_THAT(text, HasSubstr("notes-server 2.1, speaking MCP 2025-11-25, over HTTP."));
  EXPECT_THAT(text, HasSubstr("Open loop"));
  EXPECT_THAT(text, testing::ContainsRegex("100/s +100 +99.0 +1000 +1.25 +3.00 +8.00 +— +9.50"));
  EXPECT_THAT(text, testing::ContainsRegex("200/s +200 +199"));
  EXPECT_THAT(text, HasSubstr("All 2000 calls were served."));
}

TEST(LoadView, HasColumnsOnlyForTroubleThatWasMet) {
  record::LoadRecord record = two_steps();
  EXPECT_THAT(screen(record), Not(HasSubstr("Refused")));
  record.steps[0].refused = 5;
  record.steps[0].sent += 5;
  record.steps[0].troubles = {{"refused", "tools/call find", 5, "HTTP 429: slow\x1b[2J down"}};
  const std::string text = screen(record);
  EXPECT_THAT(text, HasSubstr("Refused"));
  EXPECT_THAT(text, HasSubstr("Of 2005 calls, 2000 were served."));
  EXPECT_THAT(text, HasSubstr("HTTP 429: slow"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[2J")));
}

TEST(LoadView, SaysWhatASearchFound) {
  record::LoadRecord record = two_steps();
  record.verdict = record::LoadVerdict{"p99>5ms", 100, 200};
  record.steps[0].held = true;
  record.steps[1].held = false;
  EXPECT_THAT(screen(record), HasSubstr("The highest rate that held is 100 calls a second"));
  record.verdict->held_rate.reset();
  EXPECT_THAT(view_of(record).weighed, HasSubstr("No rate held"));
  record.verdict = record::LoadVerdict{"p99>5ms", 400, std::nullopt};
  EXPECT_THAT(view_of(record).weighed, HasSubstr("Every rate held"));
}

TEST(LoadView, WarnsOfAClosedLoopAndOfAnEarlyEnd) {
  record::LoadRecord record = two_steps();
  record.settings.arrivals = "closed";
  record.status = record::Status::interrupted;
  const std::string text = screen(record);
  EXPECT_THAT(text, HasSubstr("Closed loop"));
  EXPECT_THAT(text, HasSubstr("This run was interrupted."));
  EXPECT_THAT(text, Not(HasSubstr("Offered")));
}

TEST(LoadView, PutsOperationsDriverAndSettingsOnThePage) {
  const std::string page = to_markdown(view_of(two_steps()));
  EXPECT_THAT(page, HasSubstr("By operation (ms)"));
  EXPECT_THAT(page, HasSubstr("What the driver did"));
  EXPECT_THAT(page, HasSubstr("tools/call find, weight 3.00"));
  EXPECT_THAT(page, HasSubstr("notes --port=1 'two words'"));
}

TEST(LoadView, DrawsARecordWithoutAStep) {
  EXPECT_THAT(to_markdown(view_of(record::LoadRecord{})), HasSubstr("No call was sent."));
}

}  // namespace
}  // namespace weighbridge::report

#include "reference/telemetry.h"

#include <gtest/gtest.h>

#include <regex>

#include "support.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;

constexpr Duration kEpoch = 1'000'000s;

RequestSpan span(std::string method, std::string tool, Ending ending) {
  return {.method = std::move(method),
          .tool = std::move(tool),
          .ending = ending,
          .begin = Instant(2s),
          .end = Instant(2500ms)};
}

TEST(OtlpWriter, RendersASpanForEveryRequest) {
  OtlpWriter writer("my \"service\"", kEpoch, 1);
  std::vector all{span("tools/call", "null", Ending::ok), span("tools/list", "", Ending::error)};
  for (auto& each : all) writer.give_ids(each);
  const auto parsed = json::parse(writer.traces(all));
  const auto& group = parsed["resourceSpans"][0];
  EXPECT_EQ(group["resource"]["attributes"][0]["value"]["stringValue"], "my \"service\"");
  const auto& spans = group["scopeSpans"][0]["spans"];
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0]["name"], "tools/call null");
  EXPECT_EQ(spans[0]["startTimeUnixNano"], "1000002000000000");
  EXPECT_EQ(spans[0]["endTimeUnixNano"], "1000002500000000");
  EXPECT_EQ(spans[0]["status"]["code"], 1);
  EXPECT_EQ(spans[1]["name"], "tools/list");
  EXPECT_EQ(spans[1]["status"]["code"], 2);
  EXPECT_TRUE(std::regex_match(spans[0]["traceId"].get<std::string>(), std::regex("[0-9a-f]{32}")));
  EXPECT_TRUE(std::regex_match(spans[0]["spanId"].get<std::string>(), std::regex("[0-9a-f]{16}")));
  EXPECT_NE(spans[0]["traceId"], spans[1]["traceId"]);
}

TEST(OtlpWriter, NamesTheSpanInItsLogRecord) {
  OtlpWriter writer("s", kEpoch, 1);
  std::vector all{span("tools/call", "null", Ending::is_error)};
  writer.give_ids(all[0]);
  const auto traced =
      json::parse(writer.traces(all))["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
  const auto logged =
      json::parse(writer.logs(all))["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
  EXPECT_EQ(logged["traceId"], traced["traceId"]);
  EXPECT_EQ(logged["spanId"], traced["spanId"]);
  EXPECT_EQ(logged["body"]["stringValue"], "tools/call null ended: is_error");
  EXPECT_EQ(logged["timeUnixNano"], "1000002500000000");
  EXPECT_EQ(logged["severityNumber"], 13);
}

TEST(OtlpWriter, SumsRequestsAndTheirTimeByMethodAndOutcome) {
  OtlpWriter writer("s", kEpoch, 1);
  writer.count(span("tools/call", "null", Ending::ok));
  writer.count(span("tools/call", "null", Ending::ok));
  writer.count(span("tools/call", "null", Ending::is_error));
  const auto parsed = json::parse(writer.metrics(Instant(1s), Instant(9s)));
  const auto& metrics = parsed["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0]["name"], "mcp.server.requests");
  const auto& points = metrics[0]["sum"]["dataPoints"];
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0]["asInt"], "2");
  EXPECT_EQ(points[0]["timeUnixNano"], "1000009000000000");
  EXPECT_EQ(metrics[1]["sum"]["dataPoints"][0]["asDouble"], 1.0);
}

TEST(OtlpWriter, RendersMetricsBeforeThereWereAnyRequests) {
  const auto parsed = json::parse(OtlpWriter("s", kEpoch, 1).metrics(Instant(1s), Instant(1s)));
  EXPECT_TRUE(
      parsed["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0]["sum"]["dataPoints"].empty());
}

}  // namespace
}  // namespace weighbridge::reference

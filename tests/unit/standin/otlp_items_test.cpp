#include "standin/detail/otlp_items.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace weighbridge::standin::detail {
namespace {

/// What an OpenTelemetry SDK's own exporter sent.
std::string sent(const std::string& name) {
  std::ifstream file(WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/otlp/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OtlpItems, AreCountedInWhatAnSdkSends) {
  EXPECT_EQ(count_otlp_items("traces", OtlpForm::json, sent("traces.json")), 6U);
  EXPECT_EQ(count_otlp_items("metrics", OtlpForm::json, sent("metrics.json")), 5U);
  EXPECT_EQ(count_otlp_items("logs", OtlpForm::json, sent("logs.json")), 4U);
  EXPECT_EQ(count_otlp_items("traces", OtlpForm::protobuf, sent("traces.pb")), 6U);
  EXPECT_EQ(count_otlp_items("metrics", OtlpForm::protobuf, sent("metrics.pb")), 5U);
  EXPECT_EQ(count_otlp_items("logs", OtlpForm::protobuf, sent("logs.pb")), 4U);
}

TEST(OtlpItems, OfAnEmptyExportAreNone) {
  EXPECT_EQ(count_otlp_items("traces", OtlpForm::protobuf, ""), 0U);
  EXPECT_EQ(count_otlp_items("logs", OtlpForm::json, "{}"), 0U);
  EXPECT_EQ(count_otlp_items("metrics", OtlpForm::json,
                             R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[1,{}]}]}]})"),
            0U);
}

TEST(OtlpItems, AreUnknownInWhatIsNoExport) {
  for (const auto* body : {"\x1f\x8b\x08", "\x0a\xff", "\x0a\x05x",
                           "\xff\xff\xff\xff\xff\xff\xff"
                           "\xff\xff\xff\xff"})
    EXPECT_EQ(count_otlp_items("traces", OtlpForm::protobuf, body), std::nullopt);
  for (const auto* body : {"", "[]", "{", "7"})
    EXPECT_EQ(count_otlp_items("traces", OtlpForm::json, body), std::nullopt) << body;
  EXPECT_EQ(count_otlp_items("profiles", OtlpForm::json, "{}"), std::nullopt);
}

TEST(OtlpItems, ShortenedAtAnyByteAreNeverReadBeyondTheirEnd) {
  for (const auto* signal : {"traces", "metrics", "logs"}) {
    const auto whole = sent(std::string(signal) + ".pb");
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto count =
          count_otlp_items(signal, OtlpForm::protobuf, std::string_view(whole).substr(0, size));
      EXPECT_LE(count.value_or(0), 6U);
    }
  }
}

}  // namespace
}  // namespace weighbridge::standin::detail

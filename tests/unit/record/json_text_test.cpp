#include "record/detail/json_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace weighbridge::record::detail {
namespace {

template <typename Value>
std::string written(Value value) {
  JsonText out;
  out.scalar(value);
  std::string text = out.take();
  text.pop_back();
  return text;
}

TEST(JsonText, WritesNumbersShortWithSixDecimalsAtMost) {
  EXPECT_EQ(written(0.0), "0");
  EXPECT_EQ(written(5.0), "5");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(0.1 + 0.2), "0.3");
  EXPECT_EQ(written(12.3456789), "12.345679");
  EXPECT_EQ(written(-1.0 / 3), "-0.333333");
  EXPECT_EQ(written(0.000001), "1e-06");
  EXPECT_EQ(written(0.0000001), "0");
}

TEST(JsonText, WritesNoNegativeZero) {
  EXPECT_EQ(written(-0.0), "0");
  EXPECT_EQ(written(-0.0000001), "0");
}

TEST(JsonText, LeavesNumbersAloneThatHaveNoSixDecimals) {
  EXPECT_EQ(written(1e300), "1e+300");
  EXPECT_EQ(written(12345678901.25), "12345678901.25");
}

TEST(JsonText, WritesNullForWhatJsonCannotSay) {
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(written(Limits::infinity()), "null");
  EXPECT_EQ(written(-Limits::infinity()), "null");
  EXPECT_EQ(written(Limits::quiet_NaN()), "null");
}

TEST(JsonText, WritesWholeNumbersOfFullRange) {
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(JsonText, EscapesTextAndReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(written(std::string_view("a\"b\\c\n\x01")), R"("a\"b\\c\n\u0001")");
  EXPECT_EQ(written(std::string_view("é 日本")), "\"é 日本\"");
  EXPECT_EQ(written(std::string_view("\xe9t\xe9 \xff")), "\"\uFFFDt\uFFFD \uFFFD\"");
  EXPECT_EQ(written(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(JsonText, LaysOutObjectsByLineAndNumbersOnOneLine) {
  JsonText out;
  out.open('{');
  out.next("numbers");
  out.numbers_on_one_line(std::vector<double>{1, 2.5, 3});
  out.next("none");
  out.numbers_on_one_line(std::vector<double>{});
  out.next("objects");
  out.open('[');
  out.next();
  out.open('{');
  out.close('}');
  out.next();
  out.open('{');
  out.next("a");
  out.null();
  out.close('}');
  out.close(']');
  out.close('}');
  EXPECT_EQ(out.take(), R"({
  "numbers": [1, 2.5, 3],
  "none": [],
  "objects": [
    {},
    {
      "a": null
    }
  ]
}
)");
}

}  // namespace
}  // namespace weighbridge::record::detail

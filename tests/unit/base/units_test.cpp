#include "base/units.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace weighbridge {
namespace {

TEST(ParseDuration, ReadsEveryUnit) {
  const std::vector<std::pair<std::string, Duration>> rows{
      {"10s", 10s},     {"500ms", 500ms}, {"2m", 2min},     {"1h", 1h},
      {"250us", 250us}, {"40ns", 40ns},   {"1.5s", 1500ms}, {"0.25ms", 250us}};
  for (const auto& [text, span] : rows) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, span) << text;
  }
}

TEST(ParseDuration, RoundsToTheNearestNanosecond) {
  EXPECT_EQ(parse_duration("0.1s"), 100ms);
  EXPECT_EQ(parse_duration("1.0000000006s"), Duration(1'000'000'001));
}

TEST(ParseDuration, TakesABareZeroAndNoOtherBareNumber) {
  EXPECT_EQ(parse_duration("0"), 0s);
  EXPECT_EQ(parse_duration("0s"), 0s);
  const auto bare = parse_duration("10");
  ASSERT_FALSE(bare);
  EXPECT_EQ(bare.error().code, ErrorCode::usage);
  EXPECT_EQ(describe(bare.error()),
            "\"10\" has no unit that is known here. Write for example \"10s\" or \"500ms\"");
}

TEST(ParseDuration, RefusesWhatIsNoTime) {
  for (const std::string text : {"", " ", "s", "ten seconds", "-5s", "10 s", " 10s", "10s ", "10S",
                                 "10min", "1h30m", "nans", "infs", "1e999s"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::usage) << text;
    EXPECT_NE(parsed.error().what.find('"' + text + '"'), std::string::npos) << text;
  }
}

TEST(ParseDuration, RefusesATimeThatNanosecondsCannotHold) {
  EXPECT_TRUE(parse_duration("2000000h"));
  const auto parsed = parse_duration("3000000h");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().what, "\"3000000h\" is too long a time");
}

TEST(ParseSize, ReadsBinaryAndDecimalUnits) {
  const std::vector<std::pair<std::string, std::uint64_t>> rows{{"0", 0},
                                                                {"100", 100},
                                                                {"100B", 100},
                                                                {"50KiB", 51'200},
                                                                {"1.5KiB", 1536},
                                                                {"512MiB", 512U << 20},
                                                                {"4GiB", 4ULL << 30},
                                                                {"12kB", 12'000},
                                                                {"12KB", 12'000},
                                                                {"3MB", 3'000'000},
                                                                {"2GB", 2'000'000'000ULL}};
  for (const auto& [text, bytes] : rows) {
    const auto parsed = parse_size(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, bytes) << text;
  }
}

TEST(ParseSize, RefusesWhatIsNoSize) {
  for (const std::string text : {"", "MiB", "-1KiB", "5 MiB", "5mib", "5TiB", "0x10", "infB"}) {
    const auto parsed = parse_size(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::usage) << text;
  }
  EXPECT_FALSE(parse_size("99999999999GiB"));
}

TEST(FormatDuration, GivesTheShortestExactForm) {
  EXPECT_EQ(format_duration(10s), "10s");
  EXPECT_EQ(format_duration(2min), "120s");
  EXPECT_EQ(format_duration(1500ms), "1500ms");
  EXPECT_EQ(format_duration(250us), "250us");
  EXPECT_EQ(format_duration(1'000'001ns), "1000001ns");
  EXPECT_EQ(format_duration(0s), "0s");
}

TEST(FormatDuration, IsReadBackToTheSameSpan) {
  for (const Duration span : {Duration(1), Duration(999), Duration(1000), Duration(1'234'567),
                              Duration(60'000'000'000), Duration(86'400'000'000'001)}) {
    EXPECT_EQ(parse_duration(format_duration(span)), span);
  }
}

TEST(FormatSize, ShowsThreeDigitsInBinaryUnits) {
  EXPECT_EQ(format_size_binary(0), "0 B");
  EXPECT_EQ(format_size_binary(12), "12 B");
  EXPECT_EQ(format_size_binary(1023), "1023 B");
  EXPECT_EQ(format_size_binary(1024), "1.00 KiB");
  EXPECT_EQ(format_size_binary(106 * 1024), "106 KiB");
  EXPECT_EQ(format_size_binary(1.42 * 1024 * 1024), "1.42 MiB");
  EXPECT_EQ(format_size_binary(14.25 * 1024 * 1024), "14.2 MiB");
  EXPECT_EQ(format_size_binary(5.0 * 1024 * 1024 * 1024), "5.00 GiB");
  EXPECT_EQ(format_size_binary(5000.0 * 1024 * 1024 * 1024), "5000 GiB");
}

TEST(FormatSize, ShowsThreeDigitsInDecimalUnits) {
  EXPECT_EQ(format_size_decimal(540), "540 B");
  EXPECT_EQ(format_size_decimal(999), "999 B");
  EXPECT_EQ(format_size_decimal(12'000), "12.0 KB");
  EXPECT_EQ(format_size_decimal(3'200'000), "3.20 MB");
  EXPECT_EQ(format_size_decimal(2.5e9), "2.50 GB");
}

TEST(FormatSize, RoundsAcrossTheStepBetweenDigits) {
  EXPECT_EQ(format_size_decimal(9'996), "10.0 KB");
  EXPECT_EQ(format_size_decimal(99'960), "100 KB");
  EXPECT_EQ(format_size_decimal(9'994), "9.99 KB");
}

TEST(FormatSize, KeepsBytesBelowZero) {
  EXPECT_EQ(format_size_binary(-512), "-512 B");
}

// Disabled until three_digits() looks at the magnitude: it prints "-106.00 KiB".
TEST(FormatSize, KeepsItsThreeDigitsBelowZero) {
  // A slope per client may be negative.
  EXPECT_EQ(format_size_binary(-106.0 * 1024), "-106 KiB");
  EXPECT_EQ(format_size_decimal(-12'000), "-12.0 KB");
}

TEST(ToMib, AndToKibDivideByPowersOfTwo) {
  EXPECT_DOUBLE_EQ(to_mib(3 * 1024 * 1024), 3);
  EXPECT_DOUBLE_EQ(to_kib(1536), 1.5);
}

}  // namespace
}  // namespace weighbridge

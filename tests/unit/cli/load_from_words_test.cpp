#include "cli/load_from_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stage.h"

namespace weighbridge::cli {
namespace {

using testing::HasSubstr;

Result<modes::LoadOptions> options_of(std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"load", "--url", "http://127.0.0.1:1/mcp"});
  auto words = read_words(flags);
  if (!words) return std::unexpected(words.error());
  return load_options_from_words(std::get<LoadWords>(*words));
}

std::string refusal(const std::vector<std::string>& flags) {
  const auto options = options_of(flags);
  if (options) return "accepted";
  EXPECT_EQ(options.error().code, ErrorCode::usage);
  return describe(options.error());
}

TEST(LoadWords, WithoutARateAreAClosedLoopOfTenSeconds) {
  const auto options = options_of({"--credentials", "3", "--think", "5ms"});
  ASSERT_TRUE(options);
  ASSERT_EQ(options->steps.size(), 1U);
  EXPECT_FALSE(options->steps[0].pace);
  EXPECT_EQ(options->steps[0].duration, 10s);
  EXPECT_EQ(options->credentials, 3);
  EXPECT_EQ(options->think, 5ms);
}

TEST(LoadWords, ANumberOfCallsHasNoWindowUnlessOneIsGiven) {
  EXPECT_EQ(options_of({"--requests", "50"})->steps[0].duration, std::nullopt);
  EXPECT_EQ(options_of({"--requests", "50", "--duration", "2s"})->steps[0].duration, 2s);
}

TEST(LoadWords, ReadRatesInTheirUnits) {
  EXPECT_EQ(parse_rate("500", ""), 500);
  EXPECT_EQ(parse_rate("0.5/s", ""), 0.5);
  EXPECT_EQ(parse_rate("30/min", ""), 0.5);
  for (const char* text : {"", "0", "-1", "nan", "inf", "5/h", "5 /s", "1e999"})
    EXPECT_FALSE(parse_rate(text, "")) << text;
}

TEST(LoadWords, MakeAStepOfEveryRate) {
  const auto options = options_of({"--step", "10,20/s,60/min", "--poisson", "--duration", "3s"});
  ASSERT_TRUE(options);
  ASSERT_EQ(options->steps.size(), 3U);
  EXPECT_EQ(options->steps[2].name, "1/s");
  EXPECT_EQ(options->steps[1].pace->segments[0].from, 20);
  EXPECT_TRUE(options->steps[1].pace->poisson);
  EXPECT_EQ(options->steps[1].pace->length(), 3s);
}

TEST(LoadWords, MakeOneStepOfAProfile) {
  const auto options = options_of({"--profile", "10-200:30s,200:1m,200-0:10s"});
  ASSERT_TRUE(options);
  ASSERT_EQ(options->steps.size(), 1U);
  const auto& segments = options->steps[0].pace->segments;
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[0].to, 200);
  EXPECT_EQ(segments[1].length, 60s);
  EXPECT_EQ(segments[2].to, 0);
  EXPECT_THAT(refusal({"--profile", "0:10s"}), HasSubstr("sends nothing"));
  EXPECT_THAT(refusal({"--profile", "5:10s,"}), HasSubstr("no stretch"));
  EXPECT_THAT(refusal({"--profile", "5-x:10s"}), HasSubstr("no rate"));
}

TEST(LoadWords, ReadAMixAndLeaveOutWhatWeighsNothing) {
  const auto mix = parse_mix("tools/list=1,tools/call:echo=2.5,resources/list=0,tools/call");
  ASSERT_TRUE(mix);
  ASSERT_EQ(mix->size(), 3U);
  EXPECT_EQ((*mix)[1].tool, "echo");
  EXPECT_EQ((*mix)[1].weight, 2.5);
  EXPECT_EQ((*mix)[2].tool, "");
  EXPECT_THAT(parse_mix("tools/list=0").error().what, HasSubstr("sums to nothing"));
  for (const char* text :
       {"", "=1", "tools/call:", "tools/list:x", "tools/list=-1", "tools/list=x"})
    EXPECT_FALSE(parse_mix(text)) << text;
}

TEST(LoadWords, BeginASearchWhereTheRateSays) {
  const auto options = options_of({"--until", "p99>200ms", "--rate", "40"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->steps.empty());
  EXPECT_EQ(options->search->first, 40);
  EXPECT_EQ(options->search->condition.limit, 200);
  EXPECT_THAT(refusal({"--until", "p98>1s"}), HasSubstr("no condition"));
}

TEST(LoadWords, RefuseWhatContradictsItself) {
  EXPECT_THAT(refusal({"--rate", "1", "--step", "2"}), HasSubstr("more than one of"));
  EXPECT_THAT(refusal({"--until", "p99>1s", "--profile", "1:1s"}), HasSubstr("more than one of"));
  EXPECT_THAT(refusal({"--rate", "1", "--think", "1s"}), HasSubstr("--think"));
  EXPECT_THAT(refusal({"--rate", "1", "--requests", "5"}), HasSubstr("--requests"));
  EXPECT_THAT(refusal({"--poisson"}), HasSubstr("--poisson without a rate"));
  EXPECT_THAT(refusal({"--profile", "1:9s", "--duration", "5s"}), HasSubstr("its own length"));
  EXPECT_THAT(refusal({"--driver-cpus", "0", "--threads", "2"}), HasSubstr("2 threads on 1 cores"));
}

TEST(LoadWords, ReadArgumentsLineByLine) {
  const Folder folder;
  folder.write("arguments", "{\"a\":1}\n\n{\"a\":2}\n");
  EXPECT_THAT(options_of({"--arguments-file", "arguments"})->arguments,
              testing::ElementsAre("{\"a\":1}", "{\"a\":2}"));
  folder.write("wrong", "{}\n[]\n");
  EXPECT_THAT(refusal({"--arguments-file", "wrong"}), HasSubstr("wrong:2"));
  folder.write("empty", "\n");
  EXPECT_THAT(refusal({"--arguments-file", "empty"}), HasSubstr("holds no arguments"));
}

TEST(LoadWords, SpinOnlyAsLongAsTheySay) {
  EXPECT_EQ(options_of({})->spin, 150us);
  EXPECT_EQ(options_of({"--spin", "1ms"})->spin, 1ms);
  EXPECT_EQ(options_of({"--spin", "0"})->spin, 0ns);
}

}  // namespace
}  // namespace weighbridge::cli

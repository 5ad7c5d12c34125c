#include "cli/words.h"

#include <gtest/gtest.h>

namespace weighbridge::cli {
namespace {

RunWords run_words(const std::vector<std::string>& arguments) {
  auto words = read_words(arguments);
  if (!words) {
    ADD_FAILURE() << describe(words.error());
    return {};
  }
  return std::get<RunWords>(*words);
}

std::string refusal(const std::vector<std::string>& arguments) {
  const auto words = read_words(arguments);
  if (words) return "accepted";
  EXPECT_EQ(words.error().code, ErrorCode::usage);
  return describe(words.error());
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Words, EverythingAfterTheDashesBelongsToTheServer) {
  const RunWords words =
      run_words({"run", "--quick", "--", "npx", "-y", "server", "--help", "--", "--rounds", "2"});
  EXPECT_TRUE(words.quick);
  EXPECT_EQ(words.command,
            (std::vector<std::string>{"npx", "-y", "server", "--help", "--", "--rounds", "2"}));
  EXPECT_FALSE(words.rounds.has_value());
}

TEST(Words, APlanMayStandBeforeOrAfterTheFlags) {
  EXPECT_EQ(run_words({"run", "--rounds", "2", "a.toml"}).plan, "a.toml");
  EXPECT_EQ(run_words({"run", "a.toml", "--rounds", "2"}).plan, "a.toml");
}

TEST(Words, ARepeatableFlagTakesOneValueEachTime) {
  const RunWords words =
      run_words({"run", "--env", "A=1", "--env", "B=2", "a.toml", "--header", "X-One: 1"});
  EXPECT_EQ(words.env, (std::vector<std::string>{"A=1", "B=2"}));
  EXPECT_EQ(words.headers, (std::vector<std::string>{"X-One: 1"}));
  EXPECT_EQ(words.plan, "a.toml");
}

TEST(Words, NumbersAndTimesAreRead) {
  const RunWords words = run_words({"run", "a.toml", "--rounds", "2", "--repeat=5", "--clients",
                                    "16", "--parallel", "3", "--sample-interval", "50ms",
                                    "--ready-timeout", "2m", "--call-timeout", "1.5s"});
  EXPECT_EQ(words.rounds, 2);
  EXPECT_EQ(words.repeat, 5);
  EXPECT_EQ(words.clients, 16);
  EXPECT_EQ(words.parallel, 3);
  EXPECT_EQ(words.sample_interval, 50ms);
  EXPECT_EQ(words.ready_timeout, 120s);
  EXPECT_EQ(words.call_timeout, 1500ms);
}

TEST(Words, WhatWasNotSaidStaysUnsaid) {
  const RunWords words = run_words({"run", "a.toml"});
  EXPECT_FALSE(words.rounds || words.repeat || words.clients || words.sample_interval || words.pid);
  EXPECT_TRUE(words.tool.empty() && words.output.empty() && words.protocol.empty());
}

TEST(Words, AMistypedFlagIsAnsweredWithTheNearestOne) {
  EXPECT_TRUE(says(refusal({"run", "a.toml", "--roudns", "3"}), "Did you mean --rounds?"));
  EXPECT_TRUE(says(refusal({"run", "a.toml", "--roudns=3"}), "--roudns"));
  EXPECT_TRUE(says(refusal({"run", "a.toml", "--xyzzy"}), "weighbridge run --help"));
}

TEST(Words, AMistypedCommandIsAnsweredWithTheNearestOne) {
  EXPECT_TRUE(says(refusal({"reprot", "a.json"}), "Did you mean report?"));
}

TEST(Words, NoCommandIsNotEnough) {
  EXPECT_TRUE(says(refusal({}), "weighbridge --help"));
}

TEST(Words, CountsBelowOneAreRefused) {
  EXPECT_TRUE(says(refusal({"run", "a.toml", "--rounds", "0"}), "--rounds"));
  EXPECT_TRUE(says(refusal({"run", "a.toml", "--clients", "many"}), "--clients"));
}

TEST(Words, TimesWithoutAUnitAreRefused) {
  EXPECT_TRUE(says(refusal({"run", "a.toml", "--call-timeout", "60"}), "--call-timeout"));
  EXPECT_TRUE(says(refusal({"run", "a.toml", "--sample-interval", "0"}), "no time to wait"));
}

TEST(Words, DashesWithoutACommandAreRefused) {
  EXPECT_TRUE(says(refusal({"run", "--"}), "no command stands after --"));
}

TEST(Words, ReportKnowsItsFormats) {
  const auto words = read_words({"report", "record.json", "--format", "markdown", "-o", "pages"});
  ASSERT_TRUE(words) << describe(words.error());
  const auto& report = std::get<ReportWords>(*words);
  EXPECT_EQ(report.record, "record.json");
  EXPECT_EQ(report.format, Format::markdown);
  EXPECT_EQ(report.output, "pages");
  EXPECT_TRUE(says(refusal({"report", "record.json", "--format", "pdf"}), "--format"));
  EXPECT_TRUE(says(refusal({"report"}), "record"));
}

TEST(Words, PlanCanBeCheckedOnly) {
  const auto words = read_words({"plan", "--check", "a.toml"});
  ASSERT_TRUE(words) << describe(words.error());
  EXPECT_TRUE(std::get<PlanWords>(*words).check);
  EXPECT_EQ(std::get<PlanWords>(*words).plan, "a.toml");
}

TEST(Words, EveryCommandHasHelpWithExamples) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"run", "--help"},
                                                    {"report", "-h"},
                                                    {"plan", "--help"}}) {
    const auto words = read_words(arguments);
    ASSERT_TRUE(words) << describe(words.error());
    const std::string& text = std::get<Message>(*words).text;
    EXPECT_TRUE(says(text, "Examples:")) << text;
    EXPECT_TRUE(says(text, "weighbridge " + (arguments.size() > 1 ? arguments[0] : "run"))) << text;
  }
}

TEST(Words, VersionNamesTheCompiler) {
  const auto words = read_words({"--version"});
  ASSERT_TRUE(words);
  EXPECT_TRUE(says(std::get<Message>(*words).text, "weighbridge 0."));
  EXPECT_TRUE(says(std::get<Message>(*words).text, "++ "));
}

}  // namespace
}  // namespace weighbridge::cli

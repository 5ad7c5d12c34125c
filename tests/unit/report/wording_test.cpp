#include "report/wording.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "example_record.h"

namespace weighbridge::report {
namespace {

bool any_contains(const std::vector<std::string>& sentences, const std::string& words) {
  return std::ranges::any_of(sentences, [&](const std::string& sentence) {
    return sentence.find(words) != std::string::npos;
  });
}

TEST(AccuracySentence, QuotesWhatTheCalibrationSaid) {
  record::Accuracy accuracy{.calibrated_at = "2026-11-30T17:00:00Z",
                            .memory_percent = 0.6,
                            .cpu_percent = 1.12,
                            .p99_us = 143.7,
                            .weights = 20,
                            .weights_within = 19};
  EXPECT_EQ(accuracy_sentence(accuracy),
            "On this host: memory ±0.6 %, CPU ±1.1 %, p99 ±140 µs (calibrated "
            "2026-11-30T17:00:00Z: 19 of 20 known weights within their bounds).");
  accuracy.quick = true;
  accuracy.p99_us.reset();
  EXPECT_EQ(accuracy_sentence(accuracy),
            "On this host: memory ±0.6 %, CPU ±1.1 % (calibrated quickly 2026-11-30T17:00:00Z: 19 "
            "of 20 known weights within their bounds).");
}

TEST(AccuracySentence, NamesTheCommandWhereNothingIsKnown) {
  EXPECT_NE(accuracy_sentence(std::nullopt).find("weighbridge calibrate"), std::string::npos);
}

TEST(Wording, SaysWhatWasWeighedInOneSentence) {
  EXPECT_EQ(weighed_sentence(whole_record()),
            "ticket-gateway 2.7.6, speaking MCP 2025-11-25, over stdio and HTTP.");
}

TEST(Wording, ARunThatMetNoServerIsCalledByItsOwnName) {
  record::Record run;
  run.name = "nobody-home";
  EXPECT_EQ(subject_of(run), "nobody-home");
}

TEST(Wording, NamesTheMachineTheBuildTheDateAndTheSize) {
  EXPECT_EQ(measured_sentence(whole_record()),
            "Measured on Intel(R) Core(TM) i5-14400, 16 logical CPUs, 62.5 GiB of memory, Debian "
            "GNU/Linux 12 (bookworm), kernel 6.1.0-18-amd64, x86_64, with Weighbridge 0.1.0 "
            "(a8963e7, g++ 12.2.0, RelWithDebInfo), 2026-09-06T08:24:43Z: 3 rounds per method, 3 "
            "repeats, resident set sampled every 100 ms.");
}

TEST(Wording, AnInterruptedRunDoesNotClaimItsRepeats) {
  EXPECT_NE(measured_sentence(interrupted_record()).find("up to 3 repeats"), std::string::npos);
}

TEST(Wording, FactsThatAreUnknownAreNotInvented) {
  record::Record run = whole_record();
  run.host = {};
  EXPECT_NE(measured_sentence(run).find("Measured on an unknown machine, with"), std::string::npos);
}

TEST(Wording, ACompleteRunCarriesNoWarning) {
  EXPECT_EQ(warning_of(whole_record()), "");
}

TEST(Wording, ARunThatBrokeOffSaysWhy) {
  record::Record run = whole_record();
  run.status = record::Status::broke_off;
  run.broke_off_because = "the server ended with signal 9.";
  EXPECT_EQ(warning_of(run),
            "This run broke off: the server ended with signal 9. What follows is what had been "
            "measured by then.");
}

TEST(Wording, AQuickRunIsNotToBeQuoted) {
  EXPECT_NE(warning_of(quick_record()).find("not to quote"), std::string::npos);
}

TEST(Wording, APartialRunNamesWhatItWasLimitedTo) {
  record::Record run = whole_record();
  run.settings.only = "http-*";
  EXPECT_NE(warning_of(run).find("http-*"), std::string::npos);
}

TEST(Wording, ALimiterThatWasOnIsNamed) {
  EXPECT_TRUE(any_contains(not_measured(whole_record()),
                           "A limiter was on in http, dynamic and http, dynamic, telemetry"));
  EXPECT_TRUE(any_contains(not_measured(quick_record()), "No call was refused"));
}

TEST(Wording, SaysWhoAnsweredBehindTheServer) {
  EXPECT_TRUE(any_contains(not_measured(whole_record()), "stand-in"));
  EXPECT_TRUE(any_contains(not_measured(quick_record()), "nothing here tells the two apart"));
}

TEST(Wording, LoopbackIsMentionedOnlyWhereThereIsHttp) {
  EXPECT_TRUE(any_contains(not_measured(whole_record()), "loopback"));
  EXPECT_FALSE(any_contains(not_measured(quick_record()), "loopback"));
}

TEST(Wording, EveryKindOfDoubtSaysWhatIsLost) {
  for (int kind = 0; kind <= static_cast<int>(record::DoubtKind::streams_resumed); ++kind) {
    const DoubtWording wording = wording_of(static_cast<record::DoubtKind>(kind));
    EXPECT_FALSE(wording.title.empty());
    EXPECT_FALSE(wording.lost.empty());
    EXPECT_NE(wording.lost, "unknown");
  }
}

TEST(Wording, TheOnlyVariantGoesWithoutSaying) {
  EXPECT_EQ(scenario_label(quick_record().scenarios[0]), "stdio");
  EXPECT_EQ(scenario_label(whole_record().scenarios[2]), "http, dynamic, telemetry");
}

}  // namespace
}  // namespace weighbridge::report

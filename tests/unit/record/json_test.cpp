#include "record/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "random_record.h"

namespace weighbridge::record {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(std::string_view text) {
  const auto record = from_json(text, "old/record.json");
  if (record) return "accepted";
  EXPECT_EQ(record.error().code, ErrorCode::malformed);
  EXPECT_EQ(record.error().where, "old/record.json");
  return record.error().what;
}

/// A record with one of everything, as JSON that a test may change at will.
ordered_json one_of_everything() {
  Record record;
  record.servers.emplace_back().transport = "http";
  record.doubts.push_back({DoubtKind::noisy_host, "", "lost 3 %", "run it again"});
  Scenario& scenario = record.scenarios.emplace_back();
  scenario.transport = "http";
  scenario.summary.peak_mib = stats::Estimate{12.5, stats::Interval{12, 13, 0.75}, 3};
  Repeat& repeat = scenario.repeats.emplace_back();
  repeat.memory.idle = MemoryMoment{};
  repeat.memory.per_extra_client_mib = Slope{};
  repeat.methods.emplace_back().served = {
      .count = 2, .latency = Latency{}, .first_text = "", .samples_ms = {1.5, 2}};
  repeat.resources.sockets = {{"ESTABLISHED", 4}};
  repeat.trace = {
      .at_ms = {0}, .resident_mib = {1}, .cpu_seconds = {0}, .threads = {1}, .processes = {1}};
  return ordered_json::parse(to_json(record));
}

TEST(RecordJson, BringsBackEveryRecordThatItWrites) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Record record = random_record(seed);
    const std::string text = to_json(record);
    const auto back = from_json(text, "record.json");
    ASSERT_TRUE(back) << seed << ": " << describe(back.error());
    ASSERT_EQ(flattened(*back), flattened(record)) << seed;
    ASSERT_EQ(to_json(*back), text) << seed;
  }
}

TEST(LoadRecordJson, BringsBackEveryRecordThatItWrites) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const LoadRecord record = random_load_record(seed);
    const std::string text = to_json(record);
    const auto back = any_from_json(text, "record.json");
    ASSERT_TRUE(back) << seed << ": " << describe(back.error());
    ASSERT_TRUE(std::holds_alternative<LoadRecord>(*back));
    ASSERT_EQ(flattened(std::get<LoadRecord>(*back)), flattened(record)) << seed;
    ASSERT_EQ(to_json(std::get<LoadRecord>(*back)), text) << seed;
  }
}

TEST(CalibrationJson, BringsBackEveryCalibrationThatItWrites) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Calibration calibration = random_calibration(seed);
    const std::string text = to_json(calibration);
    const auto back = any_from_json(text, "record.json");
    ASSERT_TRUE(back) << seed << ": " << describe(back.error());
    ASSERT_TRUE(std::holds_alternative<Calibration>(*back));
    ASSERT_EQ(flattened(std::get<Calibration>(*back)), flattened(calibration)) << seed;
    ASSERT_EQ(to_json(std::get<Calibration>(*back)), text) << seed;
  }
}

TEST(AnyRecord, IsOfTheKindThatItsModeNames) {
  const auto run = any_from_json(to_json(Record{}), "record.json");
  ASSERT_TRUE(run);
  EXPECT_TRUE(std::holds_alternative<Record>(*run));
  EXPECT_THAT(refusal(to_json(LoadRecord{})), HasSubstr("mode \"load\""));
  EXPECT_FALSE(any_from_json(R"({"schema":1,"mode":"dance"})", "record.json"));
}

TEST(RecordJson, RoundsOnceAndNeverAgain) {
  Record record;
  record.host.memory_gib = 3.00000049999999;
  const Record back = from_json(to_json(record), "").value();
  EXPECT_EQ(back.host.memory_gib, 3.0);
  EXPECT_EQ(to_json(back), to_json(record));
}

TEST(RecordJson, LooksAsApproved) {
  const std::string text = to_json(Record{});
  EXPECT_THAT(text, StartsWith(R"({
  "schema": 1,
  "mode": "run",
  "name": "",
  "generated_at": "",
  "status": "complete",
  "broke_off_because": "",
  "build": {
    "version": "",
)"));
  EXPECT_THAT(text, HasSubstr("\n    \"cpu_mhz\": null,\n"));
  EXPECT_TRUE(text.ends_with("  \"doubts\": []\n}\n"));
  EXPECT_THAT(one_of_everything().dump(),
              HasSubstr(R"("interval":{"low":12,"high":13,"confidence":0.75})"));
}

TEST(RecordJson, WritesSamplesOnOneLine) {
  Record record;
  record.scenarios.emplace_back().repeats.emplace_back().trace.at_ms = {0, 100.5, 200};
  EXPECT_THAT(to_json(record), HasSubstr("\"at_ms\": [0, 100.5, 200],\n"));
}

TEST(RecordJson, ReadsNullAsAFigureThatCouldNotBeComputed) {
  Record record;
  record.host.memory_gib = std::numeric_limits<double>::infinity();
  const std::string text = to_json(record);
  EXPECT_THAT(text, HasSubstr("\"memory_gib\": null"));
  const Record back = from_json(text, "").value();
  EXPECT_NE(back.host.memory_gib, back.host.memory_gib);
}

TEST(RecordJson, WithForeignBytesIsStillValid) {
  Record record;
  record.name = "caf\xe9";
  EXPECT_EQ(from_json(to_json(record), "").value().name, "caf\uFFFD");
}

struct Damage {
  const char* pointer;
  ordered_json value;
  const char* words;
};

TEST(RecordJson, IsRefusedWithThePathOfTheMemberThatIsWrong) {
  const Damage damages[] = {
      {"/host", 1, "`host` must be an object, not number"},
      {"/name", nullptr, "`name` must be a string, not null"},
      {"/scenarios", ordered_json::object(), "`scenarios` must be an array, not object"},
      {"/scenarios/0", "x", "`scenarios[0]` must be an object, not string"},
      {"/scenarios/0/telemetry", 1, "`scenarios[0].telemetry` must be true or false, not number"},
      {"/scenarios/0/clients", 1.5, "`scenarios[0].clients` must be a whole number, not number"},
      {"/scenarios/0/clients", 3'000'000'000U, "`scenarios[0].clients` is too large"},
      {"/scenarios/0/clients", -3'000'000'000, "`scenarios[0].clients` is too small"},
      {"/scenarios/0/repeats/0/cpu/user_seconds", "1",
       "`scenarios[0].repeats[0].cpu.user_seconds` must be a number or null, not string"},
      {"/scenarios/0/repeats/0/methods/0/sent", -1,
       "`scenarios[0].repeats[0].methods[0].sent` must be a whole number of zero or more, not "
       "number"},
      {"/scenarios/0/repeats/0/methods/0/served/samples_ms/1", "fast",
       "`scenarios[0].repeats[0].methods[0].served.samples_ms[1]` must be a number or null, not "
       "string"},
      {"/scenarios/0/repeats/0/resources/sockets/ESTABLISHED", 0.5,
       "`scenarios[0].repeats[0].resources.sockets.ESTABLISHED` must be a whole number of zero or "
       "more, not number"},
      {"/scenarios/0/repeats/0/trace/threads", ordered_json::array(),
       "`scenarios[0].repeats[0].trace` has columns of different lengths"},
      {"/scenarios/0/summary/peak_mib/extra", 1,
       "`scenarios[0].summary.peak_mib.extra` is not known here"},
      {"/extra", 1, "`extra` is not known here"},
      {"/doubts/0/kind", "bad_mood", "`doubts[0].kind` has a value not known here"},
      {"/status", "done", "`status` has a value not known here"},
  };
  for (const Damage& damage : damages) {
    ordered_json record = one_of_everything();
    record[ordered_json::json_pointer(damage.pointer)] = damage.value;
    EXPECT_EQ(refusal(record.dump()), damage.words);
  }
}

TEST(RecordJson, IsRefusedWhenAMemberIsMissing) {
  ordered_json record = one_of_everything();
  record["scenarios"][0]["summary"].erase("idle_mib");
  EXPECT_EQ(refusal(record.dump()), "`scenarios[0].summary.idle_mib` is missing");
}

TEST(RecordJson, IsRefusedByNumberWhenItsSchemaIsAnother) {
  ordered_json record = one_of_everything();
  record["schema"] = 7;
  record["something_new"] = true;
  const auto refused = from_json(record.dump(), "r.json");
  ASSERT_FALSE(refused);
  EXPECT_EQ(describe(refused.error()),
            "record schema 7 is not known here (r.json). Use the version of weighbridge that wrote "
            "it, or a newer one");
}

TEST(RecordJson, IsRefusedByNameWhenItsModeIsAnother) {
  ordered_json record = one_of_everything();
  record["mode"] = "series";
  EXPECT_EQ(refusal(record.dump()), "records of the mode \"series\" are not known here");
}

TEST(RecordJson, IsRefusedWhenItIsSomethingElse) {
  for (const char* text : {"[]", "{}", "3", "null", "\"text\"", R"({"schema":"1"})"})
    EXPECT_EQ(refusal(text), "this is no record of weighbridge: it has no schema number") << text;
}

TEST(RecordJson, IsRefusedWithLineAndColumnWhenItIsNoJson) {
  EXPECT_THAT(refusal(""), StartsWith("this is no JSON: parse error at line 1, column 1"));
  EXPECT_THAT(refusal("{\n  \"schema\": 1,\n}"),
              StartsWith("this is no JSON: parse error at line 3, column 1"));
  EXPECT_THAT(refusal("{\"schema\": 1e999}"), StartsWith("this is no JSON: number overflow"));
  EXPECT_THAT(refusal("{\"name\": \"\xff\"}"), StartsWith("this is no JSON: parse error"));
}

TEST(RecordJson, CutAnywhereIsRefused) {
  const std::string text = one_of_everything().dump();
  for (std::size_t length = 0; length < text.size(); length += 101)
    EXPECT_THAT(refusal(text.substr(0, length)), StartsWith("this is no JSON"));
}

TEST(RecordJson, NestedBeyondReasonIsRefused) {
  EXPECT_THAT(refusal(std::string(20'000, '[')), StartsWith("this is no JSON"));
  const std::string deep = std::string(20'000, '[') + std::string(20'000, ']');
  std::string text = to_json(Record{});
  text.replace(text.find("\"name\": \"\""), 10, "\"name\": " + deep);
  EXPECT_EQ(refusal(text), "`name` must be a string, not array");
}

}  // namespace
}  // namespace weighbridge::record

#include "plan/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/read.h"

namespace weighbridge::plan {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kComplete =
    std::string(WEIGHBRIDGE_SOURCE_DIR) + "/tests/fixtures/plans/complete.toml";

Plan complete() {
  return read_plan(kComplete).value();
}

Plan read_back(const std::string& toml, const std::string& path) {
  const auto plan = parse_plan(toml, path);
  EXPECT_TRUE(plan) << describe(plan.error()) << "\n" << toml;
  return plan.value_or(Plan{});
}

TEST(WritePlan, ReadsBackToTheSamePlan) {
  const Plan plan = complete();
  EXPECT_EQ(read_back(to_toml(plan, false), plan.path), plan);
}

TEST(WritePlan, ReadsBackToTheSamePlanWhenEverythingIsDefault) {
  const Plan plan = parse_plan("[target.stdio]\ncommand = [\"server\"]\n", "a.toml").value();
  EXPECT_EQ(read_back(to_toml(plan, false), "a.toml"), plan);
}

TEST(WritePlan, SpellsOutEveryDefault) {
  const std::string toml =
      to_toml(parse_plan("[target.stdio]\ncommand = [\"server\"]\n", "a.toml").value(), false);
  for (const char* line : {"protocol = \"auto\"", "channel = \"socketpair\"", "name = \"default\"",
                           "parallel = 4", "stdio_clients = 8", "http_clients = 64", "rounds = 3",
                           "repeat = 3", "sample_interval = \"100ms\"", "ready_timeout = \"60s\"",
                           "call_timeout = \"60s\"", "first_list_timeout = \"300s\""})
    EXPECT_THAT(toml, HasSubstr(line));
}

TEST(WritePlan, KeepsOddTextAsItIs) {
  Plan plan = complete();
  plan.stdio->command = {"server", "quote\" back\\ tab\t line\n bell\x07 del\x7f é 日本", ""};
  plan.stdio->env = {{"A.B C\"", "x"}, {"", "never"}};
  plan.stdio->env.erase("");
  EXPECT_EQ(read_back(to_toml(plan, false), plan.path), plan);
}

TEST(WritePlan, KeepsArgumentsThatTomlCannotSay) {
  Plan plan = complete();
  for (const char* arguments :
       {R"({"a":null})", R"({"a":18446744073709551615})", R"({ "spaced" : 1 })", R"({"a":1,"a":2})",
        R"({"a":"\u00e9"})", R"({"a":1e400})", R"({"a":1E2})",
        R"({"a":-0.0,"b":1e+20,"c":1.5e-07})", R"({"a":"'''\""})", R"({"é":{"":[]}})", "{}"}) {
    plan.variants[0].call->arguments = arguments;
    plan.upstream->routes[0].body = arguments;
    const auto back = parse_plan(to_toml(plan, false), plan.path);
    if (back)
      EXPECT_EQ(*back, plan) << arguments;
    else
      EXPECT_THAT(describe(back.error()), HasSubstr("one JSON object")) << arguments;
  }
}

TEST(WritePlan, KeepsArgumentsNestedBeyondReason) {
  Plan plan = complete();
  std::string deep = "{\"a\":";
  for (int i = 0; i < 90; ++i) deep += "[";
  plan.variants[0].call->arguments = deep + "1" + std::string(90, ']') + "}";
  EXPECT_EQ(read_back(to_toml(plan, false), plan.path), plan);
  plan.variants[0].call->arguments =
      "{\"a\":" + std::string(900, '[') + std::string(900, ']') + "}";
  EXPECT_EQ(read_back(to_toml(plan, false), plan.path), plan);
}

TEST(WritePlan, NotesAFixedPort) {
  const auto plan = parse_plan(
      "[target.http]\ncommand = [\"server\"]\nurl = \"http://127.0.0.1:3001/mcp\"\n", "a.toml");
  EXPECT_THAT(to_toml(*plan, false), HasSubstr("# a fixed port"));
}

TEST(WritePlan, ShowsNoSecretWhenRedacted) {
  Plan plan = complete();
  plan.stdio->env["DB_PASSWORD"] = "db-secret";
  plan.http->env["UPSTREAM"] = "http://user:url-secret@host/";
  plan.stdio->command.insert(plan.stdio->command.end(), {"--token", "flag-secret"});
  plan.variants[0].args.emplace_back("--key=arg-secret");
  plan.variants[0].call->arguments = R"({"password":"call-secret","list":["db-secret"]})";
  plan.variants[1].call->arguments = R"({"n":null,"api_key":"null-secret"})";
  plan.upstream->routes[0].body = R"({"token":"route-secret"})";
  const std::string toml = to_toml(plan, true);
  EXPECT_THAT(toml, Not(HasSubstr("secret")));
  EXPECT_THAT(toml, Not(HasSubstr("stdio-{credential}")));
  EXPECT_THAT(toml, Not(HasSubstr("http-{credential}")));
  EXPECT_THAT(toml, Not(HasSubstr("\"first\"")));  // a header's value
  EXPECT_THAT(toml, HasSubstr("API_TOKEN"));       // names stay
  EXPECT_THAT(toml, HasSubstr("X-Zebra"));
  read_back(toml, plan.path);
}

TEST(WritePlan, KeepsNamesThatASecretHappensToEqual) {
  Plan plan = complete();
  plan.http->headers.emplace_back("X-Mode", "dynamic");
  const Plan back = read_back(to_toml(plan, true), plan.path);
  EXPECT_EQ(back.variants[0].name, "dynamic");
  EXPECT_EQ(back.run.telemetry, plan.run.telemetry);
}

}  // namespace
}  // namespace weighbridge::plan

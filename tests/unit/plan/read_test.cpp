#include "plan/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "plan/write.h"

namespace weighbridge::plan {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const std::string kComplete =
    std::string(WEIGHBRIDGE_SOURCE_DIR) + "/tests/fixtures/plans/complete.toml";

Plan parsed(std::string_view toml) {
  auto plan = parse_plan(toml, "some/dir/test.toml");
  EXPECT_TRUE(plan) << describe(plan.error());
  return plan.value_or(Plan{});
}

Plan complete() {
  auto plan = read_plan(kComplete);
  EXPECT_TRUE(plan) << describe(plan.error());
  return plan.value_or(Plan{});
}

std::string refusal(const std::string& path) {
  const auto plan = read_plan(path);
  if (plan) return "accepted";
  EXPECT_EQ(plan.error().code, ErrorCode::plan);
  return describe(plan.error());
}

/// A directory of its own that is gone after the test.
class ReadPlanFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weighbridge-plan-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name, std::ios::binary) << text;
    return (directory_ / name).string();
  }
  fs::path directory_;
};

TEST(ReadPlan, FillsInEveryDefault) {
  const Plan plan = parsed("[target.stdio]\ncommand = [\"server\"]\n");
  EXPECT_EQ(plan.name, "test");
  EXPECT_EQ(plan.protocol, "auto");
  EXPECT_EQ(plan.run, RunSettings{});
  ASSERT_EQ(plan.variants.size(), 1U);
  EXPECT_EQ(plan.variants.front().name, "default");
  EXPECT_EQ(plan.variants.front().parallel, 4);
  EXPECT_FALSE(plan.variants.front().call);
  EXPECT_FALSE(plan.http);
  EXPECT_FALSE(plan.upstream);
  EXPECT_FALSE(plan.otlp);
  EXPECT_FALSE(plan.publish);
}

TEST(ReadPlan, ReadsEveryKeyOfTheTargets) {
  const Plan plan = complete();
  EXPECT_EQ(plan.name, "everything");
  EXPECT_EQ(plan.protocol, "2025-11-25");
  EXPECT_THAT(plan.strip_env, ElementsAre("GITLAB_*", "OTEL_*"));
  ASSERT_TRUE(plan.stdio);
  EXPECT_EQ(plan.stdio->command.size(), 5U);
  EXPECT_THAT(plan.stdio->env,
              ElementsAre(Pair("HOME", "{plan_dir}"), Pair("odd name", "tab\there")));
  EXPECT_EQ(plan.stdio->directory, "{plan_dir}/work");
  EXPECT_TRUE(plan.stdio->pipes);
  EXPECT_EQ(plan.stdio->credential,
            (Credential{.header = "", .environment = "API_TOKEN", .value = "stdio-{credential}"}));
  ASSERT_TRUE(plan.http);
  EXPECT_THAT(plan.http->command, ElementsAre("server", "--http=127.0.0.1:{port}"));
  EXPECT_THAT(plan.http->env, ElementsAre(Pair("UPSTREAM", "{upstream}")));
  EXPECT_EQ(plan.http->directory, "work");
  EXPECT_EQ(plan.http->url, "https://127.0.0.1:{port}/mcp?x=1");
  EXPECT_EQ(plan.http->ready, "/health");
  EXPECT_THAT(plan.http->headers,
              ElementsAre(Pair("X-Zebra", "first"), Pair("X-Ant", "second-{credential}")));
  EXPECT_EQ(
      plan.http->credential,
      (Credential{.header = "PRIVATE-TOKEN", .environment = "", .value = "http-{credential}"}));
  EXPECT_EQ(plan.http->ca_file, "{plan_dir}/ca.pem");
  EXPECT_FALSE(plan.http->insecure);
  EXPECT_EQ(plan.http->proxy, "http://127.0.0.1:3128");
}

TEST(ReadPlan, ReadsEveryWayACredentialTravelsOverHttp) {
  const std::string http = "[target.http]\nurl = \"https://127.0.0.1:1/mcp\"\ninsecure = true\n";
  const auto bearer = parse_plan(http + "credential = { bearer = \"t-{credential}\" }\n", "a.toml");
  ASSERT_TRUE(bearer) << describe(bearer.error());
  EXPECT_TRUE(bearer->http->insecure);
  EXPECT_EQ(
      bearer->http->credential,
      (Credential{.header = "Authorization", .environment = "", .value = "Bearer t-{credential}"}));
  const auto query =
      parse_plan(http + "credential = { query = \"key\", value = \"t-{credential}\" }\n", "a.toml");
  ASSERT_TRUE(query) << describe(query.error());
  EXPECT_EQ(
      query->http->credential,
      (Credential{.header = "", .environment = "", .value = "t-{credential}", .query = "key"}));
  for (const Plan& plan : {*bearer, *query}) {
    const auto back = parse_plan(to_toml(plan, /*redacted=*/false), plan.path);
    ASSERT_TRUE(back) << describe(back.error());
    EXPECT_EQ(*back, plan);
  }
}

TEST(ReadPlan, ReadsEveryKeyOfVariantsAndRefusals) {
  const Plan plan = complete();
  ASSERT_EQ(plan.variants.size(), 2U);
  const Variant& dynamic = plan.variants[0];
  EXPECT_EQ(dynamic.name, "dynamic");
  EXPECT_THAT(dynamic.args, ElementsAre("--surface=dynamic", "{\"json\": {}}"));
  EXPECT_THAT(dynamic.env, ElementsAre(Pair("SURFACE", "dynamic")));
  EXPECT_EQ(dynamic.parallel, 8);
  ASSERT_TRUE(dynamic.call);
  EXPECT_EQ(dynamic.call->tool, "find_action");
  EXPECT_EQ(dynamic.call->expect, (Expectation{.contains = "issue",
                                               .min_bytes = 10,
                                               .max_bytes = 12288,
                                               .equals = "an issue",
                                               .pointer = "/content/0",
                                               .value = R"({"type":"text","text":"an issue"})",
                                               .count = 2,
                                               .same_result = true}));
  ASSERT_EQ(plan.refusals.size(), 2U);
  EXPECT_EQ(plan.refusals[0],
            (RefusalRule{.status = 429, .code = {}, .is_error = {}, .text_prefix = ""}));
  EXPECT_EQ(
      plan.refusals[1],
      (RefusalRule{.status = {}, .code = -32000, .is_error = false, .text_prefix = "rate limit"}));
}

TEST(ReadPlan, TurnsArgumentsIntoJsonInTheOrderOfTheFile) {
  const Plan plan = complete();
  EXPECT_EQ(
      plan.variants[0].call->arguments,
      R"({"query":"list \"issues\"\n","limit":10,"ratio":0.5,"exact":true,"tags":["b",["a",1]],)"
      R"("nested":{"z":1,"a":{"deep":[]}},"a key":"é"})");
  EXPECT_EQ(plan.variants[1].call->arguments, R"({"nothing":null})");
}

TEST(ReadPlan, TurnsArgumentsWrittenAsTablesIntoJsonToo) {
  const Plan plan = parsed(R"(
[target.stdio]
command = ["server"]
[[variant]]
name = "a"
[variant.call]
tool = "t"
[variant.call.arguments]
zebra = 9223372036854775807
ant.legs = 6
[[variant.call.arguments.list]]
n = -1
)");
  EXPECT_EQ(plan.variants[0].call->arguments,
            R"({"zebra":9223372036854775807,"ant":{"legs":6},"list":[{"n":-1}]})");
}

TEST(ReadPlan, ReadsEveryKeyOfStandinsRunAndPublish) {
  const Plan plan = complete();
  ASSERT_TRUE(plan.upstream);
  EXPECT_EQ(plan.upstream->delay, 5ms);
  ASSERT_EQ(plan.upstream->routes.size(), 5U);
  EXPECT_EQ(plan.upstream->routes[0], (Route{.method = "GET",
                                             .path = "/api/v4/projects/{id}",
                                             .status = 404,
                                             .body = R"({"message":"404 Not Found"})",
                                             .body_bytes = {},
                                             .headers = {},
                                             .delay = 1500us}));
  EXPECT_EQ(plan.upstream->routes[1].body, "not json");
  EXPECT_EQ(plan.upstream->routes[1].status, 200);
  EXPECT_EQ(plan.upstream->routes[2].body, R"([1,2.5,"three"])");
  EXPECT_EQ(plan.upstream->routes[3].body, "");
  EXPECT_EQ(plan.upstream->routes[4].body_bytes, 48U * 1024);
  EXPECT_THAT(plan.upstream->routes[4].headers, ElementsAre(Pair("ETag", "W/1")));
  ASSERT_TRUE(plan.otlp);
  EXPECT_THAT(plan.otlp->args, ElementsAre("--telemetry"));
  EXPECT_THAT(plan.otlp->env, ElementsAre(Pair("OTEL_EXPORTER_OTLP_ENDPOINT", "{otlp}")));
  EXPECT_EQ(plan.run, (RunSettings{.stdio_clients = 4,
                                   .http_clients = 32,
                                   .rounds = 5,
                                   .repeat = 7,
                                   .telemetry = {"dynamic"},
                                   .args = {"--pool={max_credentials}"},
                                   .env = {{"LOG_LEVEL", "error"}},
                                   .sample_interval = 50ms,
                                   .ready_timeout = 60s,
                                   .call_timeout = 30s,
                                   .first_list_timeout = 2min}));
  ASSERT_TRUE(plan.publish);
  EXPECT_EQ(plan.publish->record, "docs/results/everything.json");
  EXPECT_THAT(plan.publish->pages, ElementsAre("docs/results/everything.md"));
}

TEST(ReadPlan, AttachesToARunningServer) {
  const Plan plan = parsed("[target.http]\nurl = \"http://example.org/mcp\"\npid = 4711\n");
  ASSERT_TRUE(plan.http);
  EXPECT_TRUE(plan.http->command.empty());
  EXPECT_EQ(plan.http->pid, 4711);
}

TEST(ReadPlan, AllowsSeveralCallsOfOneRunningServer) {
  const Plan plan = parsed(R"(
[target.http]
url = "http://127.0.0.1:8080/mcp"
[[variant]]
name = "small"
call = { tool = "a" }
[[variant]]
name = "large"
call = { tool = "b" }
)");
  EXPECT_EQ(plan.variants.size(), 2U);
}

TEST(ReadPlan, AllowsAServerWithAPortOfItsOwn) {
  const Plan plan =
      parsed("[target.http]\ncommand = [\"server\"]\nurl = \"http://[::1]:3001/mcp\"\n");
  EXPECT_EQ(plan.http->url, "http://[::1]:3001/mcp");
}

TEST(ReadPlan, AcceptsThePortFromVariantsOrRun) {
  const std::string target =
      "[target.http]\ncommand = [\"server\"]\nurl = \"http://localhost:{port}/mcp\"\n";
  EXPECT_TRUE(parse_plan(target + "[run]\nenv = { PORT = \"{port}\" }\n", "p"));
  EXPECT_TRUE(parse_plan(target + "[[variant]]\nname = \"a\"\nargs = [\"{port}\"]\n", "p"));
}

TEST(ReadPlan, LeavesBracesThatAreNoPlaceholdersAlone) {
  const Plan plan = parsed("[target.stdio]\ncommand = [\"server\", '{\"a\": {}}', \"${HOME}\"]\n");
  EXPECT_EQ(plan.stdio->command[1], "{\"a\": {}}");
}

TEST(ReadPlan, IsNamedAfterItsFileWhateverThatIsCalled) {
  const std::string toml = "[target.stdio]\ncommand = [\"server\"]\n";
  EXPECT_EQ(parse_plan(toml, "a/My plan é.toml")->name, "My-plan---");
  EXPECT_EQ(parse_plan(toml, "")->name, "plan");
}

TEST(ReadPlan, KnowsTheAbsoluteDirectoryOfItsFile) {
  const std::string toml = "[target.stdio]\ncommand = [\"server\"]\n";
  EXPECT_EQ(parse_plan(toml, "/a/b/../c/plan.toml")->directory, "/a/c");
  EXPECT_EQ(parse_plan(toml, "plan.toml")->directory, fs::current_path());
  EXPECT_EQ(parse_plan(toml, "")->directory, "");
}

TEST_F(ReadPlanFile, IsRefusedWhenItIsMissing) {
  const std::string path = (directory_ / "none.toml").string();
  EXPECT_EQ(refusal(path), "cannot read the plan: No such file or directory (" + path +
                               "). Name a plan file, as in plans/reference.toml");
}

TEST_F(ReadPlanFile, IsRefusedWhenItIsADirectory) {
  EXPECT_THAT(refusal(directory_.string()), HasSubstr("cannot read the plan: Is a directory"));
}

TEST_F(ReadPlanFile, IsRefusedWhenItIsNoText) {
  EXPECT_THAT(refusal(write("utf16.toml", std::string("\xff\xfe[\0r\0", 6))),
              HasSubstr("not valid TOML"));
  EXPECT_THAT(refusal(write("zero.toml", std::string("a = \"\0\"", 8))),
              HasSubstr("not valid TOML"));
  EXPECT_THAT(refusal(write("deep.toml", "a = " + std::string(5000, '['))),
              HasSubstr("not valid TOML"));
}

TEST_F(ReadPlanFile, IsRefusedWhenItNeverEnds) {
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("the plan is larger than any should be"));
}

TEST_F(ReadPlanFile, MayBeginWithAByteOrderMark) {
  const auto plan =
      read_plan(write("bom.toml", "\xEF\xBB\xBF[target.stdio]\r\ncommand = [\"server\"]\r\n"));
  EXPECT_TRUE(plan) << describe(plan.error());
}

TEST(Validate, HoldsAPlanMadeFromWordsAgainstTheSameRules) {
  Plan plan;
  plan.name = "words";
  plan.variants.emplace_back().name = "default";
  plan.stdio.emplace().command = {"server"};
  EXPECT_TRUE(validate(plan));
  plan.run.rounds = 0;
  const auto refused = validate(plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(describe(refused.error()), "`rounds` must be 1 to 1000000 (run.rounds)");
}

TEST(Validate, RefusesAPlanWithoutVariants) {
  Plan plan;
  plan.name = "words";
  plan.stdio.emplace().command = {"server"};
  EXPECT_FALSE(validate(plan));
}

TEST(Validate, RefusesThePlanDirectoryWithoutAPlanFile) {
  Plan plan;
  plan.name = "words";
  plan.variants.emplace_back().name = "default";
  plan.stdio.emplace().command = {"{plan_dir}/server"};
  const auto refused = validate(plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(describe(refused.error()),
            "{plan_dir} has a value only in a plan file (target.stdio.command[0]). Write the path "
            "itself");
}

}  // namespace
}  // namespace weighbridge::plan

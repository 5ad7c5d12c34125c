#include "cli/plan_from_words.h"

#include <gtest/gtest.h>

#include "stage.h"

namespace weighbridge::cli {
namespace {

constexpr const char* kPlan = R"(
schema = 1
name = "tickets"
[target.stdio]
command = ["tickets"]
env = { LOG = "error" }
[[variant]]
name = "small"
parallel = 4
call = { tool = "find", arguments = { query = "x" }, expect = { contains = "x" } }
[[variant]]
name = "large"
parallel = 1
[run]
stdio_clients = 8
http_clients = 1
rounds = 3
repeat = 3
)";

plan::Plan planned(const RunWords& words) {
  auto plan = plan_from_words(words);
  if (!plan) {
    ADD_FAILURE() << describe(plan.error());
    return {};
  }
  return *plan;
}

std::string refusal(const RunWords& words, ErrorCode code = ErrorCode::usage) {
  const auto plan = plan_from_words(words);
  if (plan) return "accepted";
  EXPECT_EQ(plan.error().code, code) << describe(plan.error());
  return describe(plan.error());
}

RunWords command(std::vector<std::string> words) {
  RunWords run;
  run.command = std::move(words);
  return run;
}

RunWords url(std::string text) {
  RunWords run;
  run.url = std::move(text);
  return run;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(PlanFromWords, ACommandAloneIsAServerOnStdio) {
  const plan::Plan plan = planned(command({"npx", "-y", "@acme/notes"}));
  ASSERT_TRUE(plan.stdio.has_value());
  EXPECT_FALSE(plan.http.has_value());
  EXPECT_EQ(plan.stdio->command, (std::vector<std::string>{"npx", "-y", "@acme/notes"}));
  EXPECT_EQ(plan.name, "notes");
  ASSERT_EQ(plan.variants.size(), 1U);
  EXPECT_EQ(plan.variants[0].name, "default");
  EXPECT_EQ(plan.run, plan::RunSettings{});
}

TEST(PlanFromWords, AUrlAloneIsAServerThatRunsAlready) {
  RunWords words = url("http://127.0.0.1:3001/mcp");
  words.pid = 4711;
  words.headers = {"X-Team: search", "Authorization:Bearer a:b"};
  const plan::Plan plan = planned(words);
  ASSERT_TRUE(plan.http.has_value());
  EXPECT_TRUE(plan.http->command.empty());
  EXPECT_EQ(plan.http->pid, 4711);
  const std::vector<std::pair<std::string, std::string>> headers = {
      {"X-Team", "search"}, {"Authorization", "Bearer a:b"}};
  EXPECT_EQ(plan.http->headers, headers);
}

TEST(PlanFromWords, AUrlWithACommandIsAServerToStartOnAPort) {
  RunWords words = command({"notes", "--port", "{port}"});
  words.url = "http://127.0.0.1:{port}/mcp";
  const plan::Plan plan = planned(words);
  ASSERT_TRUE(plan.http.has_value());
  EXPECT_FALSE(plan.stdio.has_value());
  EXPECT_EQ(plan.http->command, (std::vector<std::string>{"notes", "--port", "{port}"}));
  EXPECT_EQ(plan.name, "notes");
}

TEST(PlanFromWords, AServerMustBeNamedExactlyOnce) {
  EXPECT_TRUE(says(refusal({}), "no server was named"));
  RunWords twice = command({"notes"});
  twice.plan = "a.toml";
  EXPECT_TRUE(says(refusal(twice), "Name it once"));
  EXPECT_TRUE(says(refusal(url("http://127.0.0.1:{port}/mcp")), "listen on {port}"));
}

TEST(PlanFromWords, AMissingPlanSaysHowACommandIsWeighed) {
  RunWords words;
  words.plan = "mcp-server-everything";
  EXPECT_TRUE(says(refusal(words), "weighbridge run -- COMMAND"));
}

TEST(PlanFromWords, FlagsThatDoNotFitTheServerAreRefused) {
  RunWords pid = command({"notes"});
  pid.pid = 12;
  EXPECT_TRUE(says(refusal(pid), "--pid"));
  RunWords header = command({"notes"});
  header.headers = {"A: b"};
  EXPECT_TRUE(says(refusal(header), "--header"));
  RunWords pipes = url("http://127.0.0.1:1/mcp");
  pipes.pipes = true;
  EXPECT_TRUE(says(refusal(pipes), "--pipes"));
  RunWords env = url("http://127.0.0.1:1/mcp");
  env.env = {"A=b"};
  EXPECT_TRUE(says(refusal(env), "--env"));
}

TEST(PlanFromWords, EnvironmentIsReadUpToTheFirstEquals) {
  RunWords words = command({"notes"});
  words.env = {"A=1", "B=x=y", "C="};
  const plan::Environment expected = {{"A", "1"}, {"B", "x=y"}, {"C", ""}};
  EXPECT_EQ(planned(words).stdio->env, expected);
}

TEST(PlanFromWords, ASecretIsNotRepeatedInARefusal) {
  RunWords words = command({"notes"});
  words.env = {"hunter2"};
  EXPECT_FALSE(says(refusal(words), "hunter2"));
  words.env.clear();
  words.credential = "hunter2";
  EXPECT_FALSE(says(refusal(words), "hunter2"));
}

TEST(PlanFromWords, ACredentialIsAHeaderOverHttpAndAVariableOnStdio) {
  RunWords http = url("http://127.0.0.1:1/mcp");
  http.credential = "PRIVATE-TOKEN: token=a-{credential}";
  EXPECT_EQ(planned(http).http->credential,
            (plan::Credential{"PRIVATE-TOKEN", "", "token=a-{credential}"}));
  RunWords stdio = command({"notes"});
  stdio.credential = "TOKEN=a:{credential}";
  EXPECT_EQ(planned(stdio).stdio->credential, (plan::Credential{"", "TOKEN", "a:{credential}"}));
  stdio.credential = "PRIVATE-TOKEN: a";
  EXPECT_TRUE(says(refusal(stdio), "NAME=value"));
}

TEST(PlanFromWords, ACredentialMayBeAParameterOfTheUrl) {
  RunWords http = url("http://127.0.0.1:1/mcp");
  http.credential = "?api_key=a:b=c-{credential}";
  EXPECT_EQ(planned(http).http->credential,
            (plan::Credential{"", "", "a:b=c-{credential}", "api_key"}));
  RunWords stdio = command({"notes"});
  stdio.credential = "?api_key=a";
  EXPECT_TRUE(says(refusal(stdio), "NAME=value"));
}

TEST(PlanFromWords, ABearerTokenComesOutOfTheEnvironment) {
  ::setenv("WB_TEST_BEARER", "hunter2", 1);
  RunWords words = url("https://127.0.0.1:1/mcp");
  words.bearer_env = "WB_TEST_BEARER";
  EXPECT_EQ(planned(words).http->credential,
            (plan::Credential{"Authorization", "", "Bearer hunter2"}));
  words.credential = "X: y";
  EXPECT_TRUE(says(refusal(words), "both a credential"));
  words.credential.clear();
  words.bearer_env = "WB_TEST_NOT_THERE";
  EXPECT_TRUE(says(refusal(words), "WB_TEST_NOT_THERE"));
  EXPECT_TRUE(says(refusal(words), "not set"));
  ::unsetenv("WB_TEST_BEARER");
}

TEST(PlanFromWords, TheWayToAServerIsForHttpAlone) {
  RunWords words = url("https://127.0.0.1:1/mcp");
  words.ca_file = "ca.pem";
  words.proxy = "http://127.0.0.1:3128";
  EXPECT_EQ(planned(words).http->ca_file, "ca.pem");
  EXPECT_EQ(planned(words).http->proxy, "http://127.0.0.1:3128");
  words.ca_file.clear();
  words.insecure = true;
  EXPECT_TRUE(planned(words).http->insecure);
  RunWords stdio = command({"notes"});
  stdio.insecure = true;
  EXPECT_TRUE(says(refusal(stdio), "--insecure needs a server over HTTP"));
}

TEST(PlanFromWords, AServerCanStandInTheFileOfAClient) {
  Stage stage;
  stage.folder.write("mcp.json", R"({
    // two of them
    "mcpServers": { "notes": { "command": "notes", "env": { "A": "${WB_TEST_A:-b}" } },
                    "far": { "url": "https://h.example/mcp" }, } })");
  RunWords words;
  words.config.file = "mcp.json";
  words.config.server = "notes";
  words.headers = {};
  EXPECT_EQ(planned(words).stdio->command, std::vector<std::string>{"notes"});
  EXPECT_EQ(planned(words).stdio->env, (plan::Environment{{"A", "b"}}));
  words.config.server = "far";
  words.headers = {"X-Team: search"};
  EXPECT_EQ(planned(words).http->headers.at(0).second, "search");
  words.config.server = "ntoes";
  EXPECT_TRUE(says(refusal(words, ErrorCode::plan), "Did you mean \"notes\"?"));
  words.config.inputs = {"hunter2"};
  EXPECT_FALSE(says(refusal(words), "hunter2"));
  words.config.inputs.clear();
  words.url = "http://127.0.0.1:1/mcp";
  EXPECT_TRUE(says(refusal(words), "both --config and --url"));
}

TEST(PlanFromWords, AToolComesWithItsArgumentsAndExpectation) {
  RunWords words = command({"notes"});
  words.tool = "echo";
  words.arguments = R"({"message":"hi"})";
  words.expect = "hi";
  const auto call = planned(words).variants.at(0).call;
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->tool, "echo");
  EXPECT_EQ(call->arguments, R"({"message":"hi"})");
  EXPECT_EQ(call->expect.contains, "hi");
}

TEST(PlanFromWords, ArgumentsWithoutAToolOrThatAreNoObjectAreRefused) {
  RunWords words = command({"notes"});
  words.arguments = "{}";
  EXPECT_TRUE(says(refusal(words), "--arguments without --tool"));
  words.tool = "echo";
  words.arguments = "[1]";
  EXPECT_TRUE(says(refusal(words), "not a JSON object"));
  words.arguments = "{broken";
  EXPECT_TRUE(says(refusal(words), "not a JSON object"));
}

TEST(PlanFromWords, QuickMakesSmallerAndNeverLarger) {
  const Folder folder;
  folder.write("plan.toml", kPlan);
  RunWords words;
  words.plan = "plan.toml";
  words.quick = true;
  const plan::Plan plan = planned(words);
  EXPECT_EQ(plan.run.stdio_clients, 2);
  EXPECT_EQ(plan.run.http_clients, 1);
  EXPECT_EQ(plan.run.rounds, 1);
  EXPECT_EQ(plan.run.repeat, 1);
  EXPECT_EQ(plan.variants[0].parallel, 2);
  EXPECT_EQ(plan.variants[1].parallel, 1);
}

TEST(PlanFromWords, FlagsWinOverThePlanAndOverQuick) {
  const Folder folder;
  folder.write("plan.toml", kPlan);
  RunWords words;
  words.plan = "plan.toml";
  words.quick = true;
  words.rounds = 7;
  words.clients = 5;
  words.parallel = 6;
  words.sample_interval = 50ms;
  words.call_timeout = 9s;
  words.ready_timeout = 8s;
  words.protocol = "2025-06-18";
  words.env = {"LOG=debug"};
  const plan::Plan plan = planned(words);
  EXPECT_EQ(plan.run.rounds, 7);
  EXPECT_EQ(plan.run.stdio_clients, 5);
  EXPECT_EQ(plan.run.http_clients, 5);
  EXPECT_EQ(plan.variants[0].parallel, 6);
  EXPECT_EQ(plan.variants[1].parallel, 6);
  EXPECT_EQ(plan.run.sample_interval, 50ms);
  EXPECT_EQ(plan.run.call_timeout, 9s);
  EXPECT_EQ(plan.run.ready_timeout, 8s);
  EXPECT_EQ(plan.protocol, "2025-06-18");
  EXPECT_EQ(plan.stdio->env.at("LOG"), "debug");
}

TEST(PlanFromWords, AnotherToolForgetsThePlansArguments) {
  const Folder folder;
  folder.write("plan.toml", kPlan);
  RunWords words;
  words.plan = "plan.toml";
  words.tool = "status";
  const plan::Plan plan = planned(words);
  for (const plan::Variant& variant : plan.variants) {
    ASSERT_TRUE(variant.call.has_value());
    EXPECT_EQ(variant.call->tool, "status");
    EXPECT_EQ(variant.call->arguments, "{}");
    EXPECT_EQ(variant.call->expect.contains, "");
  }
}

TEST(PlanFromWords, WhatThePlanItselfGetsWrongIsThePlansError) {
  RunWords words = command({"notes"});
  words.protocol = "yesterday";
  EXPECT_TRUE(says(refusal(words, ErrorCode::plan), "yesterday"));
}

TEST(PlanFromWords, NamesTheFlagsThatMakeItAnotherRun) {
  RunWords words;
  EXPECT_TRUE(flags_that_differ(words).empty());
  words.output = "somewhere";
  words.verbose = true;
  words.json = true;
  EXPECT_TRUE(flags_that_differ(words).empty());
  words.quick = true;
  words.only = "http-*";
  words.rounds = 2;
  EXPECT_EQ(flags_that_differ(words), (std::vector<std::string>{"--quick", "--only", "--rounds"}));
}

}  // namespace
}  // namespace weighbridge::cli

#include "plan/redactor.h"

#include <gtest/gtest.h>

namespace weighbridge::plan {
namespace {

Plan plan_with_secrets() {
  Plan plan;
  HttpTarget http;
  http.command = {"server"};
  http.env = {{"API_TOKEN", "env-secret-1"}, {"LOG_LEVEL", "error"}, {"AUTH", "true"}};
  http.headers = {{"X-Tenant", "tenant-secret"}};
  http.credential =
      Credential{.header = "PRIVATE-TOKEN", .environment = {}, .value = "bench-token-{credential}"};
  plan.http = http;
  StdioTarget stdio;
  stdio.credential =
      Credential{.header = {}, .environment = "GITLAB_TOKEN", .value = "Bearer stdio-secret"};
  plan.stdio = stdio;
  Variant variant;
  variant.env = {{"VARIANT_PASSWORD", "pass\"word"}};
  plan.variants = {variant};
  plan.run.env = {{"RUN_KEY", "r1"}};
  plan.otlp.emplace().env = {{"OTLP_SECRET", "otlp/secret"}};
  return plan;
}

TEST(Redactor, TakesOutEverySecretThatThePlanCarries) {
  const Redactor redact(plan_with_secrets());
  EXPECT_EQ(redact("a env-secret-1 b tenant-secret c"), "a *** b *** c");
  EXPECT_EQ(redact("x pass\"word y otlp/secret z"), "x *** y *** z");
}

TEST(Redactor, TakesOutTheCredentialOfEveryCaller) {
  const Redactor redact(plan_with_secrets());
  EXPECT_EQ(redact("bench-token-0, bench-token-99999; bench-token-"), "***, ***; bench-token-");
}

TEST(Redactor, TakesSecretsOutOfTheQueryOfAUrl) {
  Plan plan;
  plan.http.emplace().url =
      "https://mcp.example.com/mcp?mode=dynamic&auth=abc12345&k=0123456789abcdef";
  plan.http->credential =
      Credential{.header = {}, .environment = {}, .value = "p/q {credential}", .query = "who"};
  const Redactor redact(plan);
  EXPECT_EQ(redact(plan.http->url), "https://mcp.example.com/mcp?mode=dynamic&auth=***&k=***");
  EXPECT_EQ(redact("told abc12345 and 0123456789abcdef, dynamic"), "told *** and ***, dynamic");
  EXPECT_EQ(redact("POST /mcp?who=p%2Fq%207 failed"), "POST /mcp?who=*** failed");
}

TEST(Redactor, TakesOutWhatThePlanWasGivenInConfidence) {
  Plan plan;
  plan.secrets = {"from-a-prompt"};
  EXPECT_EQ(Redactor(plan)("it says from-a-prompt"), "it says ***");
}

TEST(Redactor, FindsACallerNumberInFrontOfMoreDigits) {
  Redactor redact;
  redact.add_secret("key-{credential}77");
  EXPECT_EQ(redact("<key-1277>"), "<***>");
  EXPECT_EQ(redact("<key-77>"), "<key-77>");  // no caller number at all
}

TEST(Redactor, TakesOutATokenThatIsRepeatedWithoutItsScheme) {
  const Redactor redact(plan_with_secrets());
  EXPECT_EQ(redact("token stdio-secret is invalid"), "token *** is invalid");
}

TEST(Redactor, TakesOutASecretAsItTravelsInJsonAndInUrls) {
  const Redactor redact(plan_with_secrets());
  EXPECT_EQ(redact(R"(said "pass\"word")"), R"(said "***")");
  EXPECT_EQ(redact("GET /?x=otlp%2Fsecret"), "GET /?x=***");
}

TEST(Redactor, TakesOutTheLongestSecretFirst) {
  Redactor redact;
  redact.add_secret("abcdef");
  redact.add_secret("abcdefghij");
  EXPECT_EQ(redact("abcdefghij abcdef"), "*** ***");
}

TEST(Redactor, TakesOutAShortSecretOnlyWhereItIsAWord) {
  const Redactor redact(plan_with_secrets());
  EXPECT_EQ(redact("r1 r12 (r1) bar1"), "*** r12 (***) bar1");
}

TEST(Redactor, LeavesSwitchesAndNumbersOfCallersAlone) {
  Redactor redact(plan_with_secrets());
  redact.add_secret("");
  redact.add_secret("{credential}");
  EXPECT_EQ(redact("true 17 false"), "true 17 false");
}

TEST(Redactor, LeavesAPlaceholderButTakesOutWhatStandsAroundIt) {
  Redactor redact;
  redact.add_secret("{upstream}/with/long-secret");
  EXPECT_EQ(redact("http://127.0.0.1:80/with/long-secret"), "http://127.0.0.1:80***");
}

struct Case {
  const char* text;
  const char* clean;
};

TEST(Redactor, TakesOutWhatFollowsATellingWord) {
  const Redactor redact;
  const Case cases[] = {
      {"server --token=abc --port=1", "server --token=*** --port=1"},
      {"server --token abc --port 1", "server --token *** --port 1"},
      {"server --api-key 'a b' x", "server --api-key '***' x"},
      {"server --password=a&b,c", "server --password=***"},
      {"server --token --verbose", "server --token --verbose"},
      {"Authorization: Bearer abc.def", "Authorization: Bearer ***"},
      {"authorization: abc", "authorization: ***"},
      {"curl -H \"PRIVATE-TOKEN: abc\" http://h/", "curl -H \"PRIVATE-TOKEN: ***\" http://h/"},
      {R"({"apiKey": "abc", "n": 1})", R"({"apiKey": "***", "n": 1})"},
      {R"({"text":"{\"access_token\":\"a b\"}"})", R"({"text":"{\"access_token\":\"***\"}"})"},
      {R"({"password":"a\"b"})", R"({"password":"***"})"},
      {R"({"token":null})", R"({"token":null})"},
      {"GITLAB_TOKEN=abc exec server", "GITLAB_TOKEN=*** exec server"},
      {"GET /x?private_token=abc&page=2", "GET /x?private_token=***&page=2"},
      {"Cookie: a=1; session=2\nHost: h", "Cookie: ***\nHost: h"},
      {"x-goog-api-key:abc", "x-goog-api-key:***"},
      {"http://user:pass@host/a?b@c", "http://***@host/a?b@c"},
      {"git clone https://glpat@host/a.git", "git clone https://***@host/a.git"},
      {"http://a/ and http://u:p@b/", "http://a/ and http://***@b/"},
  };
  for (const Case& one : cases) EXPECT_EQ(redact(one.text), one.clean);
}

TEST(Redactor, LeavesOrdinaryTextAlone) {
  const Redactor redact;
  for (const char* text :
       {"", "Unexpected token < in JSON at position 0", "author: Jane", "max_tokens=100",
        "keyboard: us", "mail bob@example.org about http://host/path", "monkey=1", "no such key",
        "--author Jane", "http://host/@scope/package", "token:"}) {
    EXPECT_EQ(redact(text), text);
  }
}

TEST(Redactor, TakesOutTheArgumentBehindATellingFlag) {
  const Redactor redact(plan_with_secrets());
  const std::vector<std::string> command{"npx",    "server",       "--token",     "a b",
                                         "--port", "env-secret-1", "-e",          "API_KEY=a&b c",
                                         "--key",  "--other",      "--secret=x=y"};
  const std::vector<std::string> clean{"npx",    "server",  "--token",     "***",
                                       "--port", "***",     "-e",          "API_KEY=***",
                                       "--key",  "--other", "--secret=***"};
  EXPECT_EQ(redact(command), clean);
}

TEST(Redactor, KnowsTheNamesThatTellOfASecret) {
  for (const char* name : {"GITLAB_TOKEN", "apiKey", "Authorization", "db_password", "X-Secret"})
    EXPECT_TRUE(Redactor::tells_of_secret(name)) << name;
  for (const char* name : {"PATH", "HOME", "LOG_LEVEL", ""})
    EXPECT_FALSE(Redactor::tells_of_secret(name)) << name;
}

}  // namespace
}  // namespace weighbridge::plan

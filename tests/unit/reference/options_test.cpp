#include "reference/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace weighbridge::reference {
namespace {

const char* nothing(const char* /*name*/) {
  return nullptr;
}

Result<Options> read(std::vector<std::string_view> words,
                     const char* (*environment)(const char*) = nothing) {
  return read_options(words, environment);
}

std::string complaint(std::vector<std::string_view> words) {
  const auto options = read(std::move(words));
  if (options) return "none";
  EXPECT_EQ(options.error().code, ErrorCode::usage);
  return describe(options.error());
}

TEST(Options, AreSensibleByThemselves) {
  const auto options = read({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->surface, Surface::dynamic);
  EXPECT_FALSE(options->http);
  EXPECT_TRUE(options->stateless);
  EXPECT_TRUE(options->json_response);
  EXPECT_EQ(options->upstream.authority(), "127.0.0.1:8080");
  EXPECT_EQ(options->own_credential.kind, Credential::Kind::none);
}

TEST(Options, TakeValuesBehindAnEqualsSignOrAsTheNextWord) {
  const auto options =
      read({"--surface", "meta", "--http=127.0.0.1:0", "--stateless=false", "--json-response=false",
            "--weight-cpu", "5ms", "--weight-hold=50KiB", "--weight-freeze=1s/4s", "--weight-delay",
            "uniform:1ms-2ms", "--telemetry", "--seed=9", "--page-size=10",
            "--upstream=http://gitlab.example.com/root"});
  ASSERT_TRUE(options) << describe(options.error());
  EXPECT_EQ(options->surface, Surface::meta);
  EXPECT_EQ(options->http->address, "127.0.0.1");
  EXPECT_FALSE(options->stateless);
  EXPECT_FALSE(options->json_response);
  EXPECT_EQ(options->weights.call.cpu, 5ms);
  EXPECT_EQ(options->weights.credential_bytes, 51'200U);
  EXPECT_EQ(options->weights.freeze->period, 4s);
  EXPECT_TRUE(options->telemetry);
  EXPECT_EQ(options->weights.seed, 9U);
  EXPECT_EQ(options->page_size, 10U);
  EXPECT_EQ(options->upstream.target, "/root");
}

TEST(Options, GiveFixturesTheSessionsThatTheyNeed) {
  const auto options = read({"--http=127.0.0.1:0", "--fixtures"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->fixtures);
  EXPECT_FALSE(options->stateless);
  EXPECT_NE(complaint({"--http=127.0.0.1:0", "--fixtures", "--stateless=true"}).find("session"),
            std::string::npos);
  EXPECT_FALSE(read({})->fixtures);
}

TEST(Options, TakeTheInstanceAndTheTokenFromTheEnvironment) {
  const auto options = read({}, [](const char* name) -> const char* {
    if (std::string_view(name) == "GITLAB_URL") return "http://h:1";
    if (std::string_view(name) == "GITLAB_TOKEN") return "secret";
    if (std::string_view(name) == "OTEL_BSP_SCHEDULE_DELAY") return "200";
    return nullptr;
  });
  ASSERT_TRUE(options);
  EXPECT_EQ(options->upstream.port, 1);
  EXPECT_EQ(options->own_credential.token, "secret");
  EXPECT_EQ(options->own_credential.kind, Credential::Kind::private_token);
  EXPECT_EQ(options->otlp_trace_interval, 200ms);
}

TEST(Options, PreferWordsToTheEnvironment) {
  const auto options = read({"--upstream=http://word:2"}, [](const char* name) -> const char* {
    return std::string_view(name) == "GITLAB_URL" ? "http://h:1" : nullptr;
  });
  ASSERT_TRUE(options);
  EXPECT_EQ(options->upstream.host, "word");
}

TEST(Options, NameTheNearestFlag) {
  EXPECT_EQ(complaint({"--surfce=meta"}), "there is no flag --surfce. Did you mean --surface?");
  EXPECT_EQ(complaint({"stdio"}), "there is no flag stdio. See --help");
}

TEST(Options, RefuseValuesThatCannotBeMeant) {
  for (const auto* word :
       {"--surface=all", "--http=127.0.0.1:", "--http=127.0.0.1:99999", "--stateless=perhaps",
        "--weight-cpu=5", "--weight-hold=much", "--weight-freeze=4s/1s", "--weight-delay=soon",
        "--seed=x", "--page-size=-1", "--upstream=ftp://x", "--upstream-connections=0",
        "--upstream-timeout=never", "--http"})
    EXPECT_NE(complaint({word}), "none") << word;
}

TEST(Options, KeepToLoopbackUnlessToldOtherwise) {
  EXPECT_TRUE(complaint({"--http=0.0.0.0:1"}).contains("not a loopback address"));
  EXPECT_TRUE(complaint({"--stats=10.0.0.1:1"}).contains("not a loopback address"));
  EXPECT_TRUE(read({"--http=0.0.0.0:1", "--allow-remote"}));
  EXPECT_TRUE(read({"--http=localhost:1"}));
}

TEST(Options, TakeAuthoritiesForAnInstanceOnHttpsAlone) {
  const auto options = read({"--upstream=https://gitlab.example", "--upstream-ca-file=own.pem"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->upstream_ca_file, "own.pem");
  EXPECT_TRUE(complaint({"--upstream=http://gitlab.example", "--upstream-ca-file=own.pem"})
                  .contains("Give --upstream=https://gitlab.example"));
}

TEST(Help, NamesEveryFlagAndShowsExamples) {
  const auto text = help_text();
  for (const auto* flag :
       {"--surface", "--http", "--allow-remote", "--upstream", "--stateless", "--session-timeout",
        "--json-response", "--page-size", "--stats", "--weight-delay", "--weight-freeze",
        "--weight-cpu", "--weight-hold", "--seed", "--telemetry", "Examples:", "GITLAB_TOKEN"})
    EXPECT_TRUE(text.contains(flag)) << flag;
}

}  // namespace
}  // namespace weighbridge::reference

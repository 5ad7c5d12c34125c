#include "plan/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "plan/read.h"
#include "plan/redactor.h"

namespace weighbridge::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

namespace fs = std::filesystem;

const fs::path kClients = fs::path(WEIGHBRIDGE_SOURCE_DIR) / "tests/fixtures/clients";
const fs::path kVscode = kClients / "vscode/.vscode/mcp.json";
const fs::path kClaudeCode = kClients / "claude_code/.mcp.json";

using Values = std::map<std::string, std::string>;

Result<Plan> read(const fs::path& file, const std::string& server, const Values& variables = {},
                  const Values& inputs = {}) {
  return plan_from_config({.file = file.string(),
                           .server = server,
                           .inputs = inputs,
                           .environment = [&](const std::string& name) {
                             const auto found = variables.find(name);
                             return found == variables.end()
                                        ? std::nullopt
                                        : std::optional<std::string>(found->second);
                           }});
}

std::string refusal(const Result<Plan>& plan) {
  if (plan) return "it was accepted";
  EXPECT_EQ(plan.error().code, ErrorCode::plan);
  return describe(plan.error());
}

/// A file of its own, gone with the test.
class ConfigFile : public testing::Test {
 protected:
  ~ConfigFile() override { fs::remove_all(folder_); }
  fs::path write(const std::string& text, const std::string& name = "mcp.json") {
    fs::create_directories(folder_);
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  fs::path folder_ = fs::path(testing::TempDir()) / ("config_file_" + std::to_string(::getpid()));
};

// --- VS Code -------------------------------------------------------------------------------------

TEST(VscodeConfig, ServerOnStdioIsStartedAsTheEditorDoes) {
  const auto plan = read(kVscode, "files", {}, {{"github_token", "gho_abcdef"}});
  ASSERT_TRUE(plan) << describe(plan.error());
  const std::string folder = (kClients / "vscode").string();
  ASSERT_TRUE(plan->stdio);
  EXPECT_FALSE(plan->http);
  EXPECT_EQ(plan->name, "files");
  EXPECT_THAT(plan->stdio->command,
              ElementsAre("npx", "-y", "@modelcontextprotocol/server-filesystem", folder + "/src"));
  EXPECT_EQ(plan->stdio->directory, folder);
  EXPECT_THAT(plan->stdio->env,
              UnorderedElementsAre(Pair("GITHUB_TOKEN", "gho_abcdef"), Pair("TEAM", "search"),
                                   Pair("LEVEL", "3"), Pair("LOG_LEVEL", "error"),
                                   Pair("QUOTED", "two words"), Pair("SINGLE", "it is # kept"),
                                   Pair("BARE", "value")));
  EXPECT_THAT(plan->strip_env, ElementsAre("HTTP_PROXY"));
  EXPECT_TRUE(validate(*plan));
}

TEST(VscodeConfig, ServerOverHttpGetsItsInputsAndVariables) {
  const auto plan = read(kVscode, "github", {{"WB_TEST_HOST", "h1"}},
                         {{"github_token", "gho_abcdef"}, {"region", "eu"}});
  ASSERT_TRUE(plan) << describe(plan.error());
  ASSERT_TRUE(plan->http);
  EXPECT_EQ(plan->http->url, "https://api.example.com/mcp/?region=eu");
  EXPECT_THAT(plan->http->headers,
              ElementsAre(Pair("Authorization", "Bearer gho_abcdef"), Pair("X-Host", "h1")));
  EXPECT_TRUE(validate(*plan));
}

TEST(VscodeConfig, ServerOfLegacyEventsIsOneOverHttp) {
  const auto plan = read(kVscode, "events");
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->http->url, "http://127.0.0.1:3001/sse");
}

TEST(VscodeConfig, NamesEverythingThatIsMissingInOneError) {
  EXPECT_EQ(refusal(read(kVscode, "github")),
            "${input:region}, ${input:github_token} (GitHub token), ${env:WB_TEST_HOST} have no "
            "value (server \"github\" in " +
                kVscode.string() +
                "). Give --input region=VALUE; give --input github_token=VALUE; set the variable "
                "WB_TEST_HOST");
}

TEST(VscodeConfig, SaysWhatOnlyTheEditorKnows) {
  const std::string words = refusal(read(kVscode, "only-here"));
  EXPECT_THAT(words, HasSubstr("${config:python.path}, ${file} have no value"));
  EXPECT_THAT(words, HasSubstr("only the editor knows"));
}

TEST(VscodeConfig, RefusesAnInputThatTheFileDoesNotAskFor) {
  EXPECT_THAT(refusal(read(kVscode, "files", {}, {{"github_tokne", "x"}})),
              HasSubstr("no input \"github_tokne\""));
  EXPECT_THAT(refusal(read(kVscode, "files", {}, {{"github_tokne", "x"}})),
              HasSubstr("Did you mean \"github_token\"?"));
  EXPECT_THAT(refusal(read(kVscode, "github", {}, {{"region", "mars"}})),
              HasSubstr("Choose one of: eu, us"));
}

TEST(VscodeConfig, KeepsPasswordsFromEveryEye) {
  const auto plan = read(kVscode, "github", {{"WB_TEST_HOST", "h1"}},
                         {{"github_token", "gho_abcdef"}, {"region", "eu"}});
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->secrets, ElementsAre("gho_abcdef"));
  EXPECT_EQ(Redactor(*plan)("it says gho_abcdef"), "it says ***");
}

// --- Claude Code, Claude Desktop, Cursor
// -----------------------------------------------------------

TEST(ClaudeCodeConfig, FillsInVariablesAndTheirDefaults) {
  const auto plan =
      read(kClaudeCode, "db", {{"WB_TEST_DSN", "pg://h"}, {"WB_TEST_API_KEY", "k-12345678"}});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_THAT(plan->stdio->command, ElementsAre("bin/db-server", "--dsn", "pg://h"));
  EXPECT_THAT(plan->stdio->env,
              UnorderedElementsAre(Pair("API_KEY", "k-12345678"), Pair("MODE", "read-only")));
  EXPECT_EQ(plan->stdio->directory, (kClients / "claude_code").string());
  EXPECT_THAT(plan->secrets, ElementsAre("k-12345678"));
}

TEST(ClaudeCodeConfig, DefaultMayHoldAUrl) {
  const auto plan = read(kClaudeCode, "tracker", {{"WB_TEST_API_KEY", "k-12345678"}});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->http->url, "https://tracker.example.com/mcp");
  EXPECT_THAT(plan->http->headers, ElementsAre(Pair("Authorization", "Bearer k-12345678")));
}

TEST(ClaudeCodeConfig, EmptyVariableTakesTheDefault) {
  const auto plan =
      read(kClaudeCode, "tracker", {{"WB_TEST_API_KEY", "k-12345678"}, {"WB_TEST_BASE", ""}});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->http->url, "https://tracker.example.com/mcp");
}

TEST(ClaudeCodeConfig, NamesTheVariablesToSet) {
  const std::string words = refusal(read(kClaudeCode, "db"));
  EXPECT_THAT(words, HasSubstr("${WB_TEST_DSN}, ${WB_TEST_API_KEY} have no value"));
  EXPECT_THAT(words, HasSubstr("Set the variable WB_TEST_DSN; set the variable WB_TEST_API_KEY"));
}

TEST(ClaudeDesktopConfig, TakesEveryTextAsItIs) {
  const auto plan =
      read(kClients / "claude_desktop/claude_desktop_config.json", "", {{"HOME", "/home/me"}});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->name, "memory");
  EXPECT_THAT(plan->stdio->env, ElementsAre(Pair("MEMORY_FILE_PATH", "${HOME}/memory.json")));
  EXPECT_EQ(plan->stdio->directory, "");
}

TEST(CursorConfig, KnowsTheFolderAndTheEnvironment) {
  const auto plan =
      read(kClients / "cursor/.cursor/mcp.json", "local", {{"WB_TEST_API_KEY", "k-12345678"}});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_THAT(plan->stdio->command,
              ElementsAre("python", (kClients / "cursor/server.py").string()));
  EXPECT_THAT(plan->stdio->env, ElementsAre(Pair("API_KEY", "k-12345678")));
}

// --- what is refused
// -------------------------------------------------------------------------------

TEST_F(ConfigFile, NamesTheNearestServerAndAllOfThem) {
  const auto file = write(R"({"mcpServers":{"github":{"command":"a"},"files":{"command":"b"}}})");
  const std::string words = refusal(read(file, "gihtub"));
  EXPECT_THAT(words, HasSubstr("there is no server \"gihtub\""));
  EXPECT_THAT(words, HasSubstr("Did you mean \"github\"? The file has: github, files"));
  EXPECT_THAT(refusal(read(file, "unlike")), Not(HasSubstr("Did you mean")));
  EXPECT_THAT(refusal(read(file, "")), HasSubstr("the file names 2 servers"));
}

TEST_F(ConfigFile, BrokenJsonIsFoundByLineAndColumn) {
  const auto file = write("{\n  // fine\n  \"mcpServers\": {\n    \"a\": }\n}\n");
  const std::string words = refusal(read(file, ""));
  EXPECT_THAT(words, HasSubstr("not valid JSON"));
  EXPECT_THAT(words, HasSubstr("mcp.json:4:10"));
}

TEST_F(ConfigFile, BrokenJsonIsNotQuoted) {
  const auto file = write("{\"mcpServers\": {\"a\": {\"env\": {\"KEY\": \"hunter2\nx\"}}}}");
  EXPECT_THAT(refusal(read(file, "")), Not(HasSubstr("hunter2")));
}

TEST_F(ConfigFile, CommasAndCommentsInsideTextsStayThere) {
  const auto file = write(
      R"({"mcpServers":{"a":{"command":"x,]","args":["// no",",}","\",}", /* yes */ ], },},})");
  const auto plan = read(file, "");
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_THAT(plan->stdio->command, ElementsAre("x,]", "// no", ",}", "\",}"));
}

TEST_F(ConfigFile, TwoCommasAreStillWrong) {
  EXPECT_THAT(refusal(read(write(R"({"mcpServers":{"a":{"args":[1,,]}}})"), "")),
              HasSubstr("not valid JSON"));
}

TEST_F(ConfigFile, SaysWhatIsWrongWithAServer) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"("text")", "is not a table"},
      {R"({})", "neither a command nor a url"},
      {R"({"command":"a","url":"http://h/"})", "both a command and a url"},
      {R"({"command":7})", "\"command\" is not a text"},
      {R"({"command":"a","args":"b"})", "\"args\" is not a list of texts"},
      {R"({"command":"a","args":[1]})", "\"args\" is not a list of texts"},
      {R"({"command":"a","env":["A=1"]})", "\"env\" is not a table of texts"},
      {R"({"command":"a","env":{"A":[1]}})", "\"A\" in \"env\" is not a text"},
      {R"({"type":"htpp","url":"http://h/"})", "Did you mean \"http\"?"},
      {R"({"type":"http","command":"a"})", "the server has no url"},
      {R"({"type":"stdio","url":"http://h/"})", "the server has no command"},
      {R"({"command":"a","envFile":"none.env"})", "cannot read the envFile"}};
  for (const auto& [entry, words] : wrong)
    EXPECT_THAT(refusal(read(write(R"({"mcpServers":{"a":)" + entry + "}}"), "a")),
                HasSubstr(words))
        << entry;
}

TEST_F(ConfigFile, WithoutServersSaysWhichFileIsMeant) {
  EXPECT_THAT(refusal(read(write("{}"), "")), HasSubstr("neither a table \"mcpServers\""));
  EXPECT_THAT(refusal(read(write("[]"), "")), HasSubstr("neither a table \"mcpServers\""));
  EXPECT_THAT(refusal(read(write(R"({"mcpServers":{}})"), "")), HasSubstr("names no server"));
  EXPECT_THAT(refusal(read("/no/such/file.json", "")), HasSubstr("cannot read the servers' file"));
}

TEST_F(ConfigFile, NameThatAPlanCannotHaveIsMadeToFit) {
  const auto plan = read(write(R"({"mcpServers":{"a/b@c":{"command":"x"}}})"), "a/b@c");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->name, "a-b-c");
  EXPECT_TRUE(validate(*plan));
}

}  // namespace
}  // namespace weighbridge::plan

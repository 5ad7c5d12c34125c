// Everything real servers said, through everything that reads it.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "protocol/detection.h"
#include "protocol/identity.h"
#include "protocol/json_text.h"
#include "protocol/list_page.h"
#include "protocol/message.h"
#include "protocol/outcome.h"
#include "protocol/sse_parser.h"
#include "protocol/tool.h"
#include "transcripts.h"

namespace weighbridge::protocol {
namespace {

using nlohmann::json;

/// The messages in an answer, whatever carried them.
std::vector<std::string> messages_of(const Exchange& exchange) {
  if (!exchange.sse) return exchange.answers;
  std::vector<std::string> messages;
  SseParser parser([&](SseEvent& event) {
    if (!event.priming) messages.push_back(event.data);
  });
  for (const std::string& body : exchange.answers) parser.push(body);
  EXPECT_FALSE(parser.inside_event());
  return messages;
}

/// What a text is to another JSON library; an object without "jsonrpc" and plain text are no
/// messages, and real servers answer errors over HTTP with both.
json message_in(const std::string& text) {
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_object() && parsed.contains("jsonrpc") ? parsed : json();
}

class Transcript : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Real, Transcript, ::testing::ValuesIn(kTranscripts), [](const auto& test) {
  std::string name = test.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST_P(Transcript, IsPresent) {
  EXPECT_GE(exchanges_of(GetParam()).size(), 5U);
}

TEST_P(Transcript, EveryMessageReadsAsAnotherJsonLibraryReadsIt) {
  for (const Exchange& exchange : exchanges_of(GetParam())) {
    for (const std::string& text : messages_of(exchange)) {
      if (text.empty()) continue;
      const Envelope envelope = read_message(text);
      const json truth = message_in(text);
      if (truth.is_null()) {
        EXPECT_EQ(envelope.kind, Envelope::Kind::malformed) << text;
        EXPECT_GE(exchange.status, 400) << text;
        continue;
      }
      ASSERT_NE(envelope.kind, Envelope::Kind::malformed) << text;
      EXPECT_EQ(envelope.id, truth.contains("id") ? truth["id"].dump() : "");
      EXPECT_EQ(envelope.method, truth.value("method", ""));
      if (truth.contains("result")) {
        EXPECT_EQ(json::parse(envelope.result), truth["result"]);
      }
      if (truth.contains("error")) {
        EXPECT_EQ(envelope.error_code, truth["error"]["code"].get<std::int64_t>());
        EXPECT_EQ(envelope.error_message, truth["error"]["message"].get<std::string>());
      }
    }
  }
}

TEST_P(Transcript, OutcomesAgreeWithWhatTheServerSaid) {
  for (const Exchange& exchange : exchanges_of(GetParam())) {
    if (!exchange.request.contains("id")) continue;
    const auto messages = messages_of(exchange);
    ASSERT_FALSE(messages.empty());
    const json truth = message_in(messages.back());
    const bool good = truth.contains("result") && !truth["result"].value("isError", false);
    const std::string id = exchange.request["id"].dump();
    const Verdict verdict = judge({.http_status = exchange.status,
                                   .message = messages.back(),
                                   .expected_id = id,
                                   .tool_call = exchange.request["method"] == "tools/call"},
                                  {}, {});
    EXPECT_EQ(verdict.outcome, good ? Outcome::served : Outcome::failed) << messages.back();
    EXPECT_EQ(verdict.reason.empty(), good);
  }
}

TEST_P(Transcript, ListsHaveTheItemsTheServerListed) {
  for (const Exchange& exchange : exchanges_of(GetParam())) {
    const std::string method = exchange.request["method"];
    if (list_member(method).empty()) continue;
    const std::string text = messages_of(exchange).back();
    const Envelope envelope = read_message(text);
    if (envelope.kind != Envelope::Kind::response) continue;
    const auto page = read_list_page(method, envelope.result, true);
    ASSERT_TRUE(page) << describe(page.error());
    const json truth = json::parse(text)["result"][std::string(list_member(method))];
    ASSERT_EQ(page->items, truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i)
      EXPECT_EQ(json::parse(page->items_json[i]), truth[i]);
    EXPECT_FALSE(page->next_cursor);
  }
}

/// Name and version of a server that speaks the stateless revision in this transcript; empty if it
/// does not.
std::pair<std::string, std::string> stateless_server(const std::string& transcript) {
  // With sessions, as this one was started, the Go SDK offers only the revisions before.
  if (transcript == "sdk-go-http-2025-11-25") return {};
  for (const auto& [start, server] : std::map<std::string, std::pair<std::string, std::string>>{
           {"context7", {"Context7", "4.1.1"}},
           {"sdk-go", {"sdk-go", "1.8.0"}},
           {"sdk-python", {"sdk-python", "2.3.0"}},
           {"sdk-rust", {"sdk-rust", "3.11.0"}},
           {"sdk-typescript-v2", {"sdk-typescript-v2", "2.4.0"}}})
    if (transcript.starts_with(start)) return server;
  return {};
}

TEST_P(Transcript, DiscoverIsRuledAsTheServerIs) {
  const auto [name, version] = stateless_server(GetParam());
  const bool stdio = GetParam().find("stdio") != std::string::npos;
  const Exchange discover = exchanges_of(GetParam()).front();
  ASSERT_EQ(discover.request["method"], "server/discover");
  const std::string answer = messages_of(discover).back();
  const EraRuling ruling = rule_on_discover(
      {.stdio = stdio, .http_status = discover.status, .message = answer, .trouble = {}});
  if (name.empty()) {
    EXPECT_EQ(ruling.verdict, EraRuling::Verdict::handshake) << ruling.what;
  } else {
    EXPECT_EQ(ruling.verdict, EraRuling::Verdict::use);
    EXPECT_EQ(ruling.era, &newest_era());
    EXPECT_EQ(ruling.server.name, name);
    EXPECT_EQ(ruling.server.version, version);
  }
}

TEST_P(Transcript, InitializeIntroducesTheServer) {
  for (const Exchange& exchange : exchanges_of(GetParam())) {
    if (exchange.request["method"] != "initialize") continue;
    const std::string text = messages_of(exchange).back();
    const auto server = read_initialize_result(read_message(text).result);
    ASSERT_TRUE(server) << describe(server.error());
    const json truth = json::parse(text)["result"];
    EXPECT_EQ(server->name, truth["serverInfo"]["name"]);
    EXPECT_EQ(server->version, truth["serverInfo"]["version"]);
    EXPECT_EQ(server->versions, std::vector<std::string>{"2025-11-25"});
    EXPECT_EQ(server->capabilities.size(), truth["capabilities"].size());
    EXPECT_EQ(server->instructions_bytes, truth.value("instructions", "").size());
  }
}

TEST_P(Transcript, EventsAreTheSameHoweverTheBytesArrive) {
  for (const Exchange& exchange : exchanges_of(GetParam())) {
    if (!exchange.sse) continue;
    const std::vector<std::string> whole = messages_of(exchange);
    std::vector<std::string> pieces;
    SseParser parser([&](SseEvent& event) {
      if (!event.priming) pieces.push_back(event.data);
    });
    for (const char& byte : exchange.answers.front()) parser.push({&byte, 1});
    EXPECT_EQ(pieces, whole);
  }
}

std::vector<std::string> tools_of(const std::string& transcript) {
  for (const Exchange& exchange : exchanges_of(transcript)) {
    if (exchange.request["method"] != "tools/list") continue;
    const std::string text = messages_of(exchange).back();
    const auto page = read_list_page("tools/list", read_message(text).result, true);
    EXPECT_TRUE(page) << transcript;
    return page ? page->items_json : std::vector<std::string>{};
  }
  return {};
}

TEST(ChooseTool, PicksTheOneRealServersMarkAsHarmless) {
  EXPECT_EQ(choose_tool(tools_of("filesystem-stdio-2025-11-25")), "list_allowed_directories");
  EXPECT_EQ(choose_tool(tools_of("context7-http-2026-07-28")), std::nullopt);
}

TEST(ChooseTool, CallsNoneThatWantsArgumentsWhicheverSdkListsIt) {
  for (const std::string& transcript : kTranscripts) {
    if (!transcript.starts_with("sdk-")) continue;
    const auto tools = tools_of(transcript);
    std::set<std::string> names;
    for (const std::string& text : tools) names.insert(json::parse(text)["name"]);
    EXPECT_EQ(names, (std::set<std::string>{"add", "echo", "list", "sleep"})) << transcript;
    EXPECT_EQ(choose_tool(tools), std::nullopt) << transcript;
  }
}

TEST(ChooseTool, AgreesWithTheAnnotationsOfServerEverything) {
  const auto tools = tools_of("everything-stdio-2025-11-25");
  ASSERT_EQ(tools.size(), 13U);
  std::optional<std::string> expected;
  for (const std::string& text : tools) {
    const json tool = json::parse(text);
    const bool read_only =
        tool.contains("annotations") && tool["annotations"].value("readOnlyHint", false);
    const bool bare = tool["inputSchema"].value("required", json::array()).empty();
    if (!expected && read_only && bare) expected = tool["name"].get<std::string>();
  }
  ASSERT_TRUE(expected);
  EXPECT_EQ(choose_tool(tools), expected);
}

}  // namespace
}  // namespace weighbridge::protocol

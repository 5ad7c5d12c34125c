#include "protocol/client_session.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weighbridge::protocol {
namespace {

using Meaning = ClientSession::Meaning;
using nlohmann::json;

const ClientInfo kClient{"weighbridge", "0"};

Result<void> accept(ClientSession& session, const std::string& text, bool negotiable = false) {
  return session.accept_initialize(read_message(text), negotiable);
}
std::string introduced(const std::string& version) {
  return R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":")" + version +
         R"(","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"v"}}})";
}

TEST(ClientSession, NeverUsesAnIdTwice) {
  ClientSession session(newest_handshake_era(), kClient);
  EXPECT_EQ(session.initialize().id, "1");
  EXPECT_EQ(session.request("tools/list", "{}").id, "2");
  EXPECT_EQ(session.request("tools/list", "{}").id, "3");
}

TEST(ClientSession, AddsMetaOnlyInStatelessEras) {
  ClientSession legacy(newest_handshake_era(), kClient);
  EXPECT_EQ(legacy.request("tools/list", R"({"a":1})").text,
            R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":1}})");
  ClientSession modern(newest_era(), kClient);
  const json request = json::parse(modern.request("tools/list", R"({"a":1})").text);
  EXPECT_EQ(request["params"]["a"], 1);
  EXPECT_EQ(request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  EXPECT_TRUE(json::parse(modern.request("server/discover", "").text)["params"].contains("_meta"));
}

TEST(ClientSession, AcceptsTheVersionItAskedFor) {
  ClientSession session(era(Revision::v2025_03_26), kClient);
  ASSERT_TRUE(accept(session, introduced("2025-03-26")));
  EXPECT_EQ(session.server().name, "n");
  EXPECT_EQ(session.server().capabilities, std::vector<std::string>{"tools"});
}

TEST(ClientSession, TakesAnotherVersionOnlyWhenItMayNegotiate) {
  ClientSession session(newest_handshake_era(), kClient);
  const auto refused = accept(session, introduced("2024-11-05"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::target);
  EXPECT_NE(refused.error().what.find("2025-11-25"), std::string::npos);
  EXPECT_NE(refused.error().what.find("2024-11-05"), std::string::npos);
  ASSERT_TRUE(accept(session, introduced("2024-11-05"), true));
  EXPECT_EQ(session.era().name, "2024-11-05");
}

TEST(ClientSession, RefusesVersionsItCannotSpeakByHandshake) {
  ClientSession session(newest_handshake_era(), kClient);
  EXPECT_FALSE(accept(session, introduced("2027-01-01"), true));
  EXPECT_FALSE(accept(session, introduced("2026-07-28"), true));
  EXPECT_FALSE(accept(session, R"({"jsonrpc":"2.0","id":1,"result":{}})", true));
  EXPECT_FALSE(accept(session, "garbage", true));
}

TEST(ClientSession, NamesWhatTheServerSupportsWhenItRefusesToInitialize) {
  ClientSession session(newest_handshake_era(), kClient);
  const auto refused = accept(
      session,
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","data":{"supported":["x","y"]}}})");
  ASSERT_FALSE(refused);
  EXPECT_NE(describe(refused.error()).find("x, y"), std::string::npos);
}

TEST(ClientSession, AnswersPingAndDeclinesEverythingElse) {
  const ClientSession session(newest_handshake_era(), kClient);
  const auto ping = session.receive(read_message(R"({"jsonrpc":"2.0","id":"p","method":"ping"})"));
  EXPECT_EQ(ping.meaning, Meaning::server_request);
  EXPECT_EQ(ping.reply, R"({"jsonrpc":"2.0","id":"p","result":{}})");
  const auto roots =
      session.receive(read_message(R"({"jsonrpc":"2.0","id":4,"method":"roots/list"})"));
  EXPECT_EQ(roots.meaning, Meaning::server_request);
  EXPECT_EQ(read_message(roots.reply).error_code, -32601);
  EXPECT_EQ(read_message(roots.reply).id, "4");
}

TEST(ClientSession, DeclaresAndAnswersWhatItWasToldTo) {
  ClientSession session(newest_handshake_era(), kClient, {.elicitation = true});
  EXPECT_NE(session.initialize().text.find(R"("capabilities":{"elicitation":{}})"),
            std::string::npos);
  const auto asked = session.receive(read_message(
      R"({"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"requestedSchema":{}}})"));
  EXPECT_EQ(asked.reply, R"({"jsonrpc":"2.0","id":4,"result":{"action":"accept","content":{}}})");
  ClientSession stateless(newest_era(), kClient, {.roots = true});
  EXPECT_NE(stateless.request("tools/list", "{}").text.find(R"(clientCapabilities":{"roots":{}})"),
            std::string::npos);
}

TEST(ClientSession, AnswersNothingWhereServersMayNotAsk) {
  const ClientSession session(newest_era(), kClient);
  EXPECT_EQ(session.receive(read_message(R"({"jsonrpc":"2.0","id":4,"method":"ping"})")).meaning,
            Meaning::stray);
}

TEST(ClientSession, TellsAnswersNotificationsAndStrayMessagesApart) {
  const ClientSession session(newest_handshake_era(), kClient);
  const auto meaning = [&](const char* text) {
    return session.receive(read_message(text)).meaning;
  };
  EXPECT_EQ(meaning(R"({"jsonrpc":"2.0","id":4,"result":{}})"), Meaning::answer);
  EXPECT_EQ(meaning(R"({"jsonrpc":"2.0","id":4,"error":{"code":1,"message":""}})"),
            Meaning::answer);
  EXPECT_EQ(meaning(R"({"jsonrpc":"2.0","method":"notifications/message"})"),
            Meaning::notification);
  EXPECT_EQ(meaning("server started"), Meaning::stray);
}

}  // namespace
}  // namespace weighbridge::protocol

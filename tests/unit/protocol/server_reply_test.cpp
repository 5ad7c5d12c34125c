#include "protocol/server_reply.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weighbridge::protocol {
namespace {

using nlohmann::json;

const Era& stateless() {
  return era(Revision::v2026_07_28);
}
const Era& handshake() {
  return era(Revision::v2025_11_25);
}

ReplyWriter writer() {
  return ReplyWriter({.name = "n", .title = "T \"t\"", .version = "1", .instructions = "Do\nit"});
}

json reply(const Era& era, std::string_view members, std::optional<CacheHint> hint = {}) {
  return json::parse(
      writer().open("7", era).append(members).append(writer().close(era, hint, members.empty())));
}

TEST(ReplyWriter, WrapsMembersByTheRulesOfAHandshakeEra) {
  const auto message = reply(handshake(), R"("tools":[])", CacheHint{.ttl_ms = 5});
  EXPECT_EQ(message, json::parse(R"({"jsonrpc":"2.0","id":7,"result":{"tools":[]}})"));
  EXPECT_EQ(reply(handshake(), "")["result"], json::object());
}

TEST(ReplyWriter, DeclaresWhatTheServerHas) {
  const auto declared = [](const ServerFeatures& features) {
    const ReplyWriter writer({.name = "n", .title = "t", .version = "1", .instructions = ""},
                             features);
    return json::parse(writer.discovered("1", stateless()))["result"]["capabilities"];
  };
  EXPECT_EQ(declared({}), json::parse(R"({"tools":{},"resources":{}})"));
  EXPECT_EQ(
      declared({.prompts = true, .completions = true, .logging = true, .subscriptions = true}),
      json::parse(R"({"tools":{"listChanged":true},"resources":{"subscribe":true},)"
                  R"("prompts":{"listChanged":true},"completions":{},"logging":{}})"));
}

TEST(ReplyWriter, TellsAnotherTypeOfResultAndMoreMeta) {
  const auto message =
      json::parse(writer().open("7", stateless(), "input_required") + R"("requestState":"s")" +
                  writer().close(stateless(), {}, false, R"("x":1)"));
  EXPECT_EQ(message["result"]["resultType"], "input_required");
  EXPECT_EQ(message["result"]["_meta"]["x"], 1);
  EXPECT_TRUE(message["result"]["_meta"].contains("io.modelcontextprotocol/serverInfo"));
}

TEST(ReplyWriter, AddsWhatTheStatelessEraWants) {
  const auto result =
      reply(stateless(), R"("tools":[])", CacheHint{.ttl_ms = 5, .is_public = true})["result"];
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["ttlMs"], 5);
  EXPECT_EQ(result["cacheScope"], "public");
  EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/serverInfo"]["title"], "T \"t\"");
  EXPECT_FALSE(reply(stateless(), R"("content":[])")["result"].contains("ttlMs"));
  EXPECT_EQ(reply(stateless(), "")["result"]["resultType"], "complete");
}

TEST(ReplyWriter, AnswersInitializeWithTheEraAgreedOn) {
  const auto result = json::parse(writer().initialized("\"a\"", era(Revision::v2025_03_26)));
  EXPECT_EQ(result["id"], "a");
  EXPECT_EQ(result["result"]["protocolVersion"], "2025-03-26");
  EXPECT_EQ(result["result"]["serverInfo"]["name"], "n");
  EXPECT_EQ(result["result"]["instructions"], "Do\nit");
  EXPECT_TRUE(result["result"]["capabilities"].contains("tools"));
  EXPECT_FALSE(result["result"].contains("resultType"));
}

TEST(ReplyWriter, AnswersDiscoverWithTheStatelessVersionsOnly) {
  const auto result = json::parse(writer().discovered("1", stateless()))["result"];
  EXPECT_EQ(result["supportedVersions"], json::array({"2026-07-28"}));
  EXPECT_TRUE(result.contains("ttlMs"));
  EXPECT_TRUE(result["capabilities"].contains("resources"));
}

TEST(ReplyWriter, RendersErrorsWithDataWhereThereIsSome) {
  EXPECT_EQ(json::parse(ReplyWriter::error("null", {.code = -32700, .message = "bad \"json\""})),
            json::parse(R"({"jsonrpc":"2.0","id":null,)"
                        R"("error":{"code":-32700,"message":"bad \"json\""}})"));
  EXPECT_EQ(json::parse(ReplyWriter::error(
                "1", {.code = 1, .message = "m", .data = "[1]"}))["error"]["data"],
            json::array({1}));
}

}  // namespace
}  // namespace weighbridge::protocol

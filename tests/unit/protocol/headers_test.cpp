#include "protocol/headers.h"

#include <gtest/gtest.h>

namespace weighbridge::protocol {
namespace {

std::string value(const std::vector<HeaderField>& headers, std::string_view name) {
  for (const HeaderField& header : headers)
    if (header.name == name) return header.value;
  return "absent";
}

TEST(Headers, EveryPostAcceptsBothKindsOfAnswer) {
  for (const Era& era : eras()) {
    const auto headers = post_headers(era, {.method = "tools/list", .name = {}, .session_id = {}});
    EXPECT_EQ(value(headers, "Content-Type"), "application/json");
    EXPECT_EQ(value(headers, "Accept"), "application/json, text/event-stream");
  }
}

TEST(Headers, ArgumentsTravelAsHeadersOnlyWhereTheEraHasThem) {
  const std::vector<HeaderField> params{{"Mcp-Param-Region", "eu"}};
  const HeaderFacts facts{.method = "tools/call", .name = "t", .session_id = {}, .params = params};
  EXPECT_EQ(value(post_headers(newest_era(), facts), "Mcp-Param-Region"), "eu");
  EXPECT_EQ(value(post_headers(newest_handshake_era(), facts), "Mcp-Param-Region"), "absent");
}

TEST(Headers, AStreamIsAskedForWithTheSessionAndTheLastEventSeen) {
  const auto fresh = stream_headers(newest_handshake_era(), "s-1", "");
  EXPECT_EQ(value(fresh, "Accept"), "text/event-stream");
  EXPECT_EQ(value(fresh, "Mcp-Session-Id"), "s-1");
  EXPECT_EQ(value(fresh, "MCP-Protocol-Version"), "2025-11-25");
  EXPECT_EQ(value(fresh, "Last-Event-ID"), "absent");
  EXPECT_EQ(value(stream_headers(newest_handshake_era(), "", "e-7"), "Last-Event-ID"), "e-7");
}

TEST(Headers, InitializeStatesNoVersionAndNoSession) {
  const auto headers =
      post_headers(newest_handshake_era(), {.method = "initialize", .name = {}, .session_id = "s"});
  EXPECT_EQ(headers.size(), 2U);
}

TEST(Headers, HandshakeErasEchoTheSessionAndStateTheVersionWhereTheyHaveTheHeader) {
  const HeaderFacts facts{.method = "tools/call", .name = "echo", .session_id = "s-1"};
  const auto newer = post_headers(era(Revision::v2025_06_18), facts);
  EXPECT_EQ(value(newer, "MCP-Protocol-Version"), "2025-06-18");
  EXPECT_EQ(value(newer, "Mcp-Session-Id"), "s-1");
  EXPECT_EQ(value(newer, "Mcp-Method"), "absent");
  EXPECT_EQ(value(newer, "Mcp-Name"), "absent");
  EXPECT_EQ(value(post_headers(era(Revision::v2025_03_26), facts), "MCP-Protocol-Version"),
            "absent");
}

TEST(Headers, StatelessErasNameMethodAndTarget) {
  const auto headers =
      post_headers(newest_era(), {.method = "tools/call", .name = "écho", .session_id = "s-1"});
  EXPECT_EQ(value(headers, "MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(value(headers, "Mcp-Method"), "tools/call");
  EXPECT_EQ(value(headers, "Mcp-Name"), "=?base64?w6ljaG8=?=");
  EXPECT_EQ(value(headers, "Mcp-Session-Id"), "absent");
  EXPECT_EQ(
      value(post_headers(newest_era(), {.method = "tools/list", .name = {}, .session_id = {}}),
            "Mcp-Name"),
      "absent");
}

TEST(Headers, DeleteCarriesSessionAndVersion) {
  const auto headers = delete_headers(newest_handshake_era(), "s-1");
  EXPECT_EQ(headers.size(), 2U);
  EXPECT_EQ(value(headers, "Mcp-Session-Id"), "s-1");
}

TEST(Headers, EncodesOnlyValuesThatAreNotSafe) {
  EXPECT_EQ(encode_header_value("a b(c)"), "a b(c)");
  EXPECT_EQ(encode_header_value(""), "");
  EXPECT_EQ(encode_header_value(" a"), "=?base64?IGE=?=");
  EXPECT_EQ(encode_header_value("a "), "=?base64?YSA=?=");
  EXPECT_EQ(encode_header_value("ab\n"), "=?base64?YWIK?=");
  EXPECT_EQ(encode_header_value("\x7f"), "=?base64?fw==?=");
  EXPECT_EQ(encode_header_value("=?base64?YQ==?="), "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
}

}  // namespace
}  // namespace weighbridge::protocol

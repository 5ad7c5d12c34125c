#include "protocol/server_route.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weighbridge::protocol {
namespace {

constexpr std::string_view kStateless = "2026-07-28";

class RouteTest : public ::testing::Test {
 protected:
  const ClientMessage& read(const std::string& text) {
    const auto input = reader_.read(text);
    EXPECT_TRUE(input) << text;
    return (*input)->messages.front();
  }
  static std::string request(std::string_view method, std::string_view params = "{}") {
    return fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{}}})", method, params);
  }
  /// Params with the `_meta` of a stateless request.
  static std::string meta(std::string_view version = kStateless, std::string_view more = {}) {
    return fmt::format(R"({{"_meta":{{"{}":"{}","{}":{{}}}}{}}})", kMetaVersion, version,
                       kMetaCapabilities, more);
  }
  Route on_stdio(const std::string& text, const Era* negotiated = nullptr) {
    return route(read(text), nullptr, negotiated);
  }
  Route on_http(const std::string& text, const RequestHeaders& headers,
                const Era* negotiated = nullptr) {
    return route(read(text), &headers, negotiated);
  }
  ClientReader reader_;
};

RequestHeaders stateless_headers(std::string_view method) {
  return {.version = kStateless, .method = method, .name = {}};
}

void expect_refused(const Route& route, std::int64_t code, int http_status) {
  ASSERT_TRUE(route.refusal);
  EXPECT_EQ(route.refusal->code, code) << route.refusal->message;
  EXPECT_EQ(route.refusal->http_status, http_status) << route.refusal->message;
}

TEST_F(RouteTest, ServesAStatelessRequestByTheStatelessEra) {
  const auto route = on_stdio(request("tools/list", meta()));
  EXPECT_EQ(route.era, &era(Revision::v2026_07_28));
  EXPECT_FALSE(route.refusal);
}

TEST_F(RouteTest, LooksAtMetaBeforeAnythingThatWasNegotiated) {
  const auto route = on_stdio(request("tools/list", meta()), &era(Revision::v2025_06_18));
  EXPECT_EQ(route.era, &era(Revision::v2026_07_28));
}

TEST_F(RouteTest, TakesRemovedMethodsWithMetaForMethodsThatDoNotExist) {
  for (const auto* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe"}) {
    expect_refused(on_stdio(request(method, meta())), kMethodNotFound, 404);
    expect_refused(on_http(request(method, meta()), stateless_headers(method)), kMethodNotFound,
                   404);
  }
}

TEST_F(RouteTest, NamesTheSupportedVersionsToWhoAsksForAnother) {
  for (const auto* version : {"2027-01-01", "2025-11-25", "nonsense"}) {
    const auto route = on_stdio(request("tools/list", meta(version)));
    expect_refused(route, kUnsupportedVersion, 400);
    const auto data = nlohmann::json::parse(route.refusal->data);
    EXPECT_EQ(data["requested"], version);
    EXPECT_EQ(data["supported"], nlohmann::json::array({"2026-07-28"}));
  }
}

TEST_F(RouteTest, WantsTheRequiredKeysOfMeta) {
  const auto without_capabilities =
      fmt::format(R"({{"_meta":{{"{}":"{}"}}}})", kMetaVersion, kStateless);
  expect_refused(on_stdio(request("tools/list", without_capabilities)), kInvalidParams, 400);
  expect_refused(on_http(request("tools/list"), stateless_headers("tools/list")), kInvalidParams,
                 400);
  expect_refused(on_stdio(request("server/discover")), kInvalidParams, 400);
}

TEST_F(RouteTest, WantsHeadersThatSayTheSameAsTheMessage) {
  const auto call = request("tools/call", meta(kStateless, R"(,"name":"null")"));
  const RequestHeaders good{.version = kStateless, .method = "tools/call", .name = "null"};
  EXPECT_FALSE(on_http(call, good).refusal);
  for (auto headers :
       {RequestHeaders{.version = {}, .method = "tools/call", .name = "null"},
        RequestHeaders{.version = "2025-11-25", .method = "tools/call", .name = "null"},
        RequestHeaders{.version = kStateless, .method = {}, .name = "null"},
        RequestHeaders{.version = kStateless, .method = "tools/list", .name = "null"},
        RequestHeaders{.version = kStateless, .method = "Tools/Call", .name = "null"},
        RequestHeaders{.version = kStateless, .method = "tools/call", .name = {}},
        RequestHeaders{.version = kStateless, .method = "tools/call", .name = "Null"},
        RequestHeaders{.version = kStateless, .method = "tools/call", .name = "=?base64?!?="}})
    expect_refused(on_http(call, headers), kHeaderMismatch, 400);
}

TEST_F(RouteTest, UnderstandsAnEncodedName) {
  const auto read = request("resources/read", meta(kStateless, R"(,"uri":"gitlab://é")"));
  const RequestHeaders headers{
      .version = kStateless, .method = "resources/read", .name = "=?base64?Z2l0bGFiOi8vw6k=?="};
  EXPECT_FALSE(on_http(read, headers).refusal);
}

TEST_F(RouteTest, HasNoHeaderRulesForNotificationsButTheVersion) {
  const auto text =
      fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}})", meta());
  const RequestHeaders headers{.version = kStateless, .method = {}, .name = {}};
  EXPECT_FALSE(on_http(text, headers).refusal);
}

TEST_F(RouteTest, ServesAnOlderClientByWhatItNegotiated) {
  const auto route = on_stdio(request("tools/list"), &era(Revision::v2024_11_05));
  EXPECT_EQ(route.era, &era(Revision::v2024_11_05));
  EXPECT_FALSE(route.refusal);
}

TEST_F(RouteTest, AssumesWhatTheSpecificationNamesWhereNothingWasSaid) {
  EXPECT_EQ(on_http(request("tools/list"), {}).era, &era(Revision::v2025_03_26));
  EXPECT_EQ(on_stdio(request("tools/list")).era, &newest_handshake_era());
  EXPECT_EQ(on_http(request("tools/list"), {.version = "2025-06-18", .method = {}, .name = {}}).era,
            &era(Revision::v2025_06_18));
}

TEST_F(RouteTest, RefusesAVersionHeaderItDoesNotKnow) {
  expect_refused(
      on_http(request("tools/list"), {.version = "2020-01-01", .method = {}, .name = {}}),
      kUnsupportedVersion, 400);
}

TEST_F(RouteTest, AnswersUnknownMethodsOfOlderClientsWithin200) {
  expect_refused(on_http(request("prompts/list"), {}), kMethodNotFound, 200);
  EXPECT_FALSE(on_http(request("ping"), {}).refusal);
  EXPECT_FALSE(on_stdio(request("initialize")).refusal);
}

TEST_F(RouteTest, HasMoreMethodsWhereTheServerHasMore) {
  constexpr ServerFeatures all{
      .prompts = true, .completions = true, .logging = true, .subscriptions = true};
  const auto refused = [&](std::string_view method, bool stateless, const ServerFeatures& has) {
    const auto text = stateless ? request(method, meta()) : request(method);
    return route(read(text), nullptr, nullptr, has).refusal.has_value();
  };
  for (const auto* method : {"prompts/list", "prompts/get", "completion/complete"})
    for (const bool stateless : {false, true}) {
      EXPECT_FALSE(refused(method, stateless, all)) << method;
      EXPECT_TRUE(refused(method, stateless, {})) << method;
    }
  for (const auto* method : {"logging/setLevel", "resources/subscribe", "resources/unsubscribe"}) {
    EXPECT_FALSE(refused(method, false, all)) << method;
    EXPECT_TRUE(refused(method, false, {})) << method;
    EXPECT_TRUE(refused(method, true, all)) << method << " was removed";
  }
  EXPECT_FALSE(refused("subscriptions/listen", true, all));
  EXPECT_TRUE(refused("subscriptions/listen", true, {}));
  EXPECT_TRUE(refused("subscriptions/listen", false, all)) << "it came later";
}

TEST_F(RouteTest, NamesTheResourceThatIsNotThere) {
  const auto modern = no_such_resource(newest_era(), "a\"b");
  EXPECT_EQ(modern.code, kInvalidParams);
  EXPECT_EQ(nlohmann::json::parse(modern.data)["uri"], "a\"b");
  EXPECT_EQ(no_such_resource(newest_handshake_era(), "x").code, kResourceNotFound);
}

TEST(Negotiate, EchoesWhatIsOpenedByAHandshakeAndElseOffersTheNewestThatIs) {
  EXPECT_EQ(negotiate("2024-11-05").name, "2024-11-05");
  EXPECT_EQ(negotiate("2025-11-25").name, "2025-11-25");
  EXPECT_EQ(negotiate("2026-07-28").name, "2025-11-25");
  EXPECT_EQ(negotiate("").name, "2025-11-25");
  EXPECT_EQ(negotiate("1.0").name, "2025-11-25");
}

TEST(HeaderValue, IsDecodedOnlyWhenItIsEncoded) {
  EXPECT_EQ(decode_header_value("plain"), "plain");
  EXPECT_EQ(decode_header_value("=?base64?w6k=?="), "é");
  EXPECT_EQ(decode_header_value("=?base64?"
                                "?="),
            "");
  EXPECT_EQ(decode_header_value("=?base64?w6k="), "=?base64?w6k=") << "it has no end: literal";
  EXPECT_EQ(decode_header_value("=?base64?"), "=?base64?");
}

TEST(HeaderValue, HasOneEncodedFormOnly) {
  EXPECT_EQ(decode_header_value("=?base64?SGVsbG8=?="), "Hello");
  EXPECT_EQ(decode_header_value("=?base64?SGVsbG8?="), std::nullopt) << "padding is missing";
  EXPECT_EQ(decode_header_value("=?base64?SGVs!!!bG8=?="), std::nullopt);
  EXPECT_EQ(decode_header_value("=?base64?SGVs bG8=?="), std::nullopt);
  EXPECT_EQ(decode_header_value("=?base64?SGVsbG9=?="), std::nullopt) << "stray bits at the end";
}

}  // namespace
}  // namespace weighbridge::protocol

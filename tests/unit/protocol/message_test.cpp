#include "protocol/message.h"

#include <gtest/gtest.h>

#include <string>

#include "protocol/detail/members.h"

namespace weighbridge::protocol {
namespace {

using Kind = Envelope::Kind;

/// A result that is long enough to be read from its ends only.
std::string long_result(std::size_t bytes) {
  std::string text = R"({"tools":[)";
  while (text.size() < bytes)
    text += R"({"name":"a \"quoted\" one","id":99,"error":{"code":1},"result":"}]"},)";
  text.back() = ']';
  return text + "}";
}

TEST(RenderRequest, WritesIdMethodAndParams) {
  EXPECT_EQ(render_request(7, "tools/list", R"({"cursor":"x"})"),
            R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}})");
}

TEST(RenderRequest, LeavesEmptyParamsOut) {
  EXPECT_EQ(render_request(7, "ping", ""), R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
  EXPECT_EQ(render_notification("notifications/initialized"),
            R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
}

TEST(RenderError, CarriesDataWhenGiven) {
  EXPECT_EQ(
      render_error("\"a\"", -32601, "no \"x\"", "[1]"),
      R"({"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no \"x\"","data":[1]}})");
  EXPECT_EQ(read_message(render_error("3", -32601, "no")).error_code, -32601);
}

TEST(ReadMessage, FindsTheIdFirstOrLast) {
  const Envelope first = read_message(R"({"jsonrpc":"2.0","id":7,"result":{"a":1}})");
  const Envelope last = read_message(R"( {"result" : {"a":1} , "jsonrpc" : "2.0" , "id" : 7 } )");
  for (const Envelope& envelope : {first, last}) {
    EXPECT_EQ(envelope.kind, Kind::response);
    EXPECT_EQ(envelope.id, "7");
    EXPECT_EQ(envelope.result, R"({"a":1})");
  }
}

TEST(ReadMessage, IsNotFooledByNestedIdsAndErrors) {
  const Envelope envelope = read_message(
      R"({"result":{"id":1,"error":{"code":-1},"text":"\",\"id\":2,\""},"jsonrpc":"2.0","id":"seven"})");
  EXPECT_EQ(envelope.kind, Kind::response);
  EXPECT_EQ(envelope.id, R"("seven")");
}

TEST(ReadMessage, TellsRequestsFromNotifications) {
  const Envelope request = read_message(R"({"jsonrpc":"2.0","id":0,"method":"ping"})");
  EXPECT_EQ(request.kind, Kind::request);
  EXPECT_EQ(request.method, "ping");
  const Envelope notification =
      read_message(R"({"method":"tools\/changed","params":{"b":[]},"jsonrpc":"2.0"})");
  EXPECT_EQ(notification.kind, Kind::notification);
  EXPECT_EQ(notification.method, "tools/changed");
  EXPECT_EQ(notification.params, R"({"b":[]})");
}

TEST(ReadMessage, ReadsAnErrorWithItsData) {
  const Envelope envelope = read_message(
      R"({"jsonrpc":"2.0","error":{"data":{"supported":["a"]},"message":"b\u00e9d","code":-32022},"id":null})");
  EXPECT_EQ(envelope.kind, Kind::error);
  EXPECT_EQ(envelope.id, "null");
  EXPECT_EQ(envelope.error_code, -32022);
  EXPECT_EQ(envelope.error_message, "béd");
  EXPECT_EQ(envelope.error_data, R"({"supported":["a"]})");
}

TEST(ReadMessage, AcceptsAnErrorWithoutAnId) {
  EXPECT_EQ(read_message(R"({"jsonrpc":"2.0","error":{"code":1,"message":"x"}})").kind,
            Kind::error);
}

TEST(ReadMessage, TakesANullErrorBesideAResultForNoError) {
  EXPECT_EQ(read_message(R"({"jsonrpc":"2.0","id":1,"error":null,"result":{}})").kind,
            Kind::response);
}

TEST(ReadMessage, SaysWhatIsWrongWithAMalformedOne) {
  for (const char* text :
       {"", "   ", "hello", "{", R"({"jsonrpc":"2.0","id":1,"result":{})",
        R"({"jsonrpc":"2.0","id":1,"result":{}} {})", R"({"jsonrpc":"2.0","id":1})",
        R"({"id":1,"result":{}})", R"({"jsonrpc":"1.0","id":1,"result":{}})",
        R"({"jsonrpc":"2.0","id":{},"result":{}})", R"({"jsonrpc":"2.0","id":1,"error":"no"})",
        R"({"jsonrpc":"2.0","result":{}})", R"({"jsonrpc":"2.0","id":1,"method":5})",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}"}) {
    const Envelope envelope = read_message(text);
    EXPECT_EQ(envelope.kind, Kind::malformed) << text;
    EXPECT_FALSE(envelope.trouble.empty()) << text;
  }
}

TEST(ReadMessage, ReadsAMegabyteBodyFromEitherEnd) {
  const std::string result = long_result(1'000'000);
  for (const std::string& text : {R"({"jsonrpc":"2.0","id":7,"result":)" + result + "}",
                                  R"({"result":)" + result + R"(,"jsonrpc":"2.0","id":7})",
                                  R"({"jsonrpc":"2.0","result":)" + result + R"(,"id":7}
)"}) {
    ASSERT_TRUE(detail::read_edge_members(text)) << "the quick way was not taken";
    const Envelope envelope = read_message(text);
    EXPECT_EQ(envelope.kind, Kind::response);
    EXPECT_EQ(envelope.id, "7");
    EXPECT_EQ(envelope.result.size(), result.size());
    EXPECT_EQ(envelope.result.front(), '{');
    EXPECT_EQ(envelope.result.back(), '}');
  }
}

TEST(ReadMessage, WalksAllOfALongBodyWhenItsEndsDoNotTellTheId) {
  const std::string result = long_result(80'000);
  const std::string text =
      R"({"_meta":)" + result + R"(,"jsonrpc":"2.0","id":7,"result":)" + result + "}";
  const Envelope envelope = read_message(text);
  EXPECT_EQ(envelope.kind, Kind::response);
  EXPECT_EQ(envelope.id, "7");
}

TEST(ReadMessage, SeesTheTruncationOfALongBody) {
  const std::string text = R"({"jsonrpc":"2.0","id":7,"result":)" + long_result(100'000) + "}";
  for (const std::size_t cut : {1, 2, 3, 10, 30'000})
    EXPECT_EQ(read_message(text.substr(0, text.size() - cut)).kind, Kind::malformed) << cut;
}

TEST(ReadMessage, ReadsALongStringResult) {
  const std::string text = R"({"jsonrpc":"2.0","id":7,"result":")" + std::string(100'000, '\\') +
                           R"(","x":[1,{"id":3}]})";
  const Envelope envelope = read_message(text);
  EXPECT_EQ(envelope.kind, Kind::response);
  EXPECT_EQ(envelope.id, "7");
  EXPECT_EQ(envelope.result.size(), 100'002U);
}

TEST(SplitBatch, GivesEveryMessageInOrder) {
  const std::string text = R"([{"jsonrpc":"2.0","id":1,"result":{}}, {"jsonrpc":"2.0","id":2}])";
  EXPECT_EQ(read_message(text).kind, Kind::batch);
  const auto messages = split_batch(text);
  ASSERT_TRUE(messages);
  ASSERT_EQ(messages->size(), 2U);
  EXPECT_EQ(read_message((*messages)[0]).id, "1");
  EXPECT_EQ((*messages)[1], R"({"jsonrpc":"2.0","id":2})");
  EXPECT_TRUE(split_batch("[]")->empty());
  EXPECT_FALSE(split_batch("[1"));
}

TEST(ReadMembers, LosesNoByteOfAnyValue) {
  const auto members =
      detail::read_members(R"({"a":{},"b" : [ ] ,"c":"x\"y", "d\"":-1.5e3,"e":null,"f":{"g":{}}})");
  ASSERT_TRUE(members);
  ASSERT_EQ(members->size(), 6U);
  EXPECT_EQ((*members)[0].value, "{}");
  EXPECT_EQ((*members)[1].key, "b");
  EXPECT_EQ((*members)[1].value, "[ ]");
  EXPECT_EQ((*members)[2].value, R"("x\"y")");
  EXPECT_EQ((*members)[3].key, R"(d\")");
  EXPECT_EQ((*members)[3].value, "-1.5e3");
  EXPECT_EQ((*members)[4].value, "null");
  EXPECT_EQ((*members)[5].value, R"({"g":{}})");
  EXPECT_TRUE(detail::read_members("{}")->empty());
  EXPECT_TRUE(detail::read_members(" { } ")->empty());
}

}  // namespace
}  // namespace weighbridge::protocol

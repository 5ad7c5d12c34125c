#include "protocol/server_message.h"

#include <gtest/gtest.h>

namespace weighbridge::protocol {
namespace {

using Kind = ClientMessage::Kind;

class ClientReaderTest : public ::testing::Test {
 protected:
  const ClientMessage& one(std::string_view text) {
    const auto input = reader_.read(text);
    EXPECT_TRUE(input) << text;
    EXPECT_FALSE((*input)->batch);
    return (*input)->messages.front();
  }
  std::string id_of(const std::string& id) {
    return one(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}").id;
  }
  ClientReader reader_;
};

TEST_F(ClientReaderTest, ReadsARequestWithItsParams) {
  const auto& message = one(
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a\"b","_meta":{"k":"v"}}})");
  EXPECT_EQ(message.kind, Kind::request);
  EXPECT_EQ(message.id, "7");
  EXPECT_EQ(message.method, "tools/call");
  EXPECT_EQ(message.text_param("name"), "a\"b");
  EXPECT_EQ(message.text_param("nothing"), "");
  EXPECT_EQ(message.meta_text("k"), "v");
  EXPECT_TRUE(message.has_meta("k"));
  EXPECT_FALSE(message.has_meta("q"));
}

TEST_F(ClientReaderTest, KeepsAnIdAsItWasWritten) {
  EXPECT_EQ(id_of("7"), "7");
  EXPECT_EQ(id_of("-3"), "-3");
  EXPECT_EQ(id_of("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(id_of(R"("a\"b\n")"), R"("a\"b\n")");
  EXPECT_EQ(id_of(R"("é")"), "\"é\"");
}

TEST_F(ClientReaderTest, RefusesIdsThatCannotBeAnsweredTo) {
  for (const auto* id : {"null", "1.5", "true", "[1]", "{}"}) {
    const auto& message = one(std::string(R"({"jsonrpc":"2.0","method":"ping","id":)") + id + "}");
    EXPECT_EQ(message.kind, Kind::invalid) << id;
    EXPECT_EQ(message.id, "null") << id;
  }
}

TEST_F(ClientReaderTest, TellsNotificationsAndResponsesFromRequests) {
  EXPECT_EQ(one(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").kind,
            Kind::notification);
  EXPECT_EQ(one(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, Kind::response);
  EXPECT_EQ(one(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})").kind,
            Kind::response);
}

TEST_F(ClientReaderTest, SaysWhatIsWrongWithWhatIsNoRequest) {
  for (const auto* text : {R"("text")", "5", "null", R"({"id":1,"method":"ping"})",
                           R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
                           R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"method":5})",
                           R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})"}) {
    const auto& message = one(text);
    EXPECT_EQ(message.kind, Kind::invalid) << text;
    EXPECT_FALSE(message.trouble.empty()) << text;
  }
}

TEST_F(ClientReaderTest, GivesTheIdBackWhereItCouldReadIt) {
  EXPECT_EQ(one(R"({"jsonrpc":"1.0","id":9,"method":"ping"})").id, "9");
}

TEST_F(ClientReaderTest, ReadsTheMessagesOfABatch) {
  const auto input = reader_.read(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},5])");
  ASSERT_TRUE(input);
  EXPECT_TRUE((*input)->batch);
  ASSERT_EQ((*input)->messages.size(), 3U);
  EXPECT_EQ((*input)->messages[0].kind, Kind::request);
  EXPECT_EQ((*input)->messages[1].kind, Kind::notification);
  EXPECT_EQ((*input)->messages[2].kind, Kind::invalid);
}

TEST_F(ClientReaderTest, TakesAnEmptyBatchForNoRequest) {
  const auto input = reader_.read("[]");
  ASSERT_TRUE(input);
  ASSERT_EQ((*input)->messages.size(), 1U);
  EXPECT_EQ((*input)->messages[0].kind, Kind::invalid);
}

TEST_F(ClientReaderTest, RefusesWhatIsNoJsonHoweverDeepTheFaultLies) {
  for (const auto* text :
       {"", "{", "garbage", R"({"jsonrpc":"2.0","id":1,"method":"ping"} x)",
        R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,2,{"b":tru}]}})",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"}) {
    const auto input = reader_.read(text);
    ASSERT_FALSE(input) << text;
    EXPECT_EQ(input.error().code, ErrorCode::malformed);
  }
}

TEST_F(ClientReaderTest, ReadsALongTextAndThenAShortOne) {
  const std::string padding(200'000, 'x');
  const std::string text =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + padding + R"("}})";
  EXPECT_EQ(one(text).text_param("name"), padding);
  EXPECT_EQ(one(R"({"jsonrpc":"2.0","id":2,"method":"ping"})").id, "2");
}

}  // namespace
}  // namespace weighbridge::protocol

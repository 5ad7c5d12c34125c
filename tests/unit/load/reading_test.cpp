// What reads replies without keeping them, held against what reads them whole.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "load/detail/byte_search.h"
#include "load/detail/message_text.h"
#include "load/detail/quick_look.h"
#include "load/detail/sse_scan.h"
#include "protocol/sse_parser.h"

namespace weighbridge::load::detail {
namespace {

TEST(FindWord, FindsWhatStringViewFinds) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random.below(300), ' ');
    for (char& c : text) c = "ab\"r"[random.below(4)];
    std::string needle(2 + random.below(5), ' ');
    for (char& c : needle) c = "ab\"r"[random.below(4)];
    const std::size_t from = random.below(text.size() + 1);
    ASSERT_EQ(find_word(text, needle, from), text.find(needle, from)) << text << " " << needle;
  }
}

std::string cut_up(std::string_view text, Random& random, MessageText& message) {
  // Every piece lies in the same buffer, as a socket's reads do.
  static std::string buffer;
  while (!text.empty()) {
    const std::size_t length = 1 + random.below(std::min<std::size_t>(text.size(), 50'000));
    buffer.assign(text.substr(0, length));
    message.push(buffer);
    message.settle();
    buffer.assign(length, '#');
    text.remove_prefix(length);
  }
  return std::string(message.head());
}

TEST(MessageText, KeepsShortTextsWholeAndLongOnesEnds) {
  Random random(2);
  for (const std::size_t size : {1UL, 4096UL, 65'536UL, 65'537UL, 70'000UL, 400'000UL}) {
    std::string text(size, ' ');
    for (char& c : text) c = static_cast<char>('a' + random.below(26));
    for (int i = 0; i < 20; ++i) {
      MessageText message;
      message.begin(false);
      cut_up(text, random, message);
      ASSERT_EQ(message.size(), size);
      ASSERT_EQ(message.whole(), size <= MessageText::kWholeLimit);
      if (message.whole()) {
        ASSERT_EQ(message.head(), text);
      } else {
        ASSERT_EQ(message.head(), text.substr(0, MessageText::kEdge));
        ASSERT_EQ(message.tail(), text.substr(size - MessageText::kEdge));
      }
      message.begin(/*even_long=*/true);
      cut_up(text, random, message);
      ASSERT_TRUE(message.whole());
      ASSERT_EQ(message.tail(), text);
    }
  }
}

TEST(MessageText, OnlyPointsAtATextThatComesInOnePiece) {
  const std::string text(1'000'000, 'x');
  MessageText message;
  message.begin(false);
  message.push(text);
  EXPECT_TRUE(message.whole());
  EXPECT_EQ(message.head().data(), text.data());
}

struct Events final : SseScan::Sink {
  std::string data;
  std::vector<std::string> events;
  void on_data(std::string_view piece) override { data += piece; }
  void on_event() override { events.push_back(std::exchange(data, {})); }
};

TEST(SseScan, FindsTheEventsThatTheParserFindsHoweverTheStreamIsCut) {
  const std::string stream =
      "event: message\r\ndata: {\"a\":1}\r\n\r\n: comment\n\nid: 7\ndata:no space\ndata: second "
      "line\n\n"
      "retry: 10\ndata: x\n\ndata:\n\ndatax: no\nunknown\ndata: {\"long\":\"" +
      std::string(5000, 'y') + "\"}\n\ndata: never ended";
  std::vector<std::string> expected;
  protocol::SseParser parser([&](protocol::SseEvent& event) {
    if (!event.priming) expected.push_back(event.data);
  });
  parser.push(stream);
  ASSERT_GE(expected.size(), 4U);
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    Events sink;
    SseScan scan;
    for (std::string_view rest = stream; !rest.empty();) {
      const std::size_t length = 1 + random.below(i % 2 == 0 ? 5 : 3000);
      scan.push(rest.substr(0, length), sink);
      rest.remove_prefix(std::min(length, rest.size()));
    }
    // A CR that was cut off its LF stays behind the data: JSON takes it for white space.
    for (std::string& event : sink.events)
      if (event.ends_with('\r')) event.pop_back();
    std::erase(sink.events, "");  // a priming event, which the engine passes over for its emptiness
    ASSERT_EQ(sink.events, expected);
    ASSERT_TRUE(scan.inside_event());
  }
}

std::optional<std::string> id_of(const std::string& text, bool wants_complete = false) {
  const auto id = id_of_plain_answer({text, text}, wants_complete);
  return id ? std::optional(std::string(*id)) : std::nullopt;
}

TEST(QuickLook, KnowsPlainAnswersInAnyOrder) {
  EXPECT_EQ(id_of(R"({"jsonrpc":"2.0","id":7,"result":{}})"), "7");
  EXPECT_EQ(id_of(R"( { "result" : {"a":[{}]} , "jsonrpc" : "2.0" , "id" : 100000001 } )"),
            "100000001");
  EXPECT_EQ(id_of(R"({"id":7,"result":{"isError":false},"jsonrpc":"2.0"})"), "7");
  EXPECT_EQ(id_of(R"({"jsonrpc":"2.0","result":{"text":"an \"error\" in words"},"id":7})"), "7");
}

TEST(QuickLook, LeavesEverythingElseToTheJudge) {
  for (const char* text : {
           R"({"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}})",
           R"({"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"no"}})",
           R"({"jsonrpc":"2.0","id":7,"result":{"isError":true}})",
           R"({"jsonrpc":"2.0","id":7,"result":{"isError" : true}})",
           R"({"jsonrpc":"2.0","id":"7","result":{}})",
           R"({"jsonrpc":"2.0","id":7,"result":[]})",
           R"({"jsonrpc":"2.0","id":7,"result":{)",
           R"({"jsonrpc":"2.0","id":7,"result":{}}x)",
           R"({"jsonrpc":"1.0","id":7,"result":{}})",
           R"({"id":7,"result":{}})",
           R"({"jsonrpc":"2.0","result":{}})",
           R"([{"jsonrpc":"2.0","id":7,"result":{}}])",
           R"({"jsonrpc":"2.0","method":"ping","id":7})",
           "",
           "{",
       }) {
    EXPECT_EQ(id_of(text), std::nullopt) << text;
  }
}

TEST(QuickLook, AsksForACompleteResultWhereThereAreOthers) {
  const std::string incomplete =
      R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required"}})";
  EXPECT_EQ(id_of(incomplete, true), std::nullopt);
  EXPECT_EQ(id_of(R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"complete"}})", true), "7");
}

}  // namespace
}  // namespace weighbridge::load::detail

#include "protocol/sse_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weighbridge::protocol {
namespace {

struct Seen {
  std::string data, type, id;
  bool priming = false;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> parse(const std::vector<std::string>& pieces) {
  std::vector<Seen> seen;
  SseParser parser([&](SseEvent& event) {
    seen.push_back({event.data, std::string(event.type), std::string(event.id), event.priming});
  });
  for (const std::string& piece : pieces) parser.push(piece);
  return seen;
}

std::vector<Seen> parse(const std::string& text) {
  return parse(std::vector<std::string>{text});
}

TEST(SseParser, ReadsLfCrlfAndCrAlike) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string text = "event: message" + end + "id: 4" + end + "data: {\"a\":1}" + end +
                             end + "data:b" + end + end;
    const std::vector<Seen> expected{{"{\"a\":1}", "message", "4"}, {"b", "", "4"}};
    EXPECT_EQ(parse(text), expected);
    for (std::size_t cut = 1; cut < text.size(); ++cut)
      EXPECT_EQ(parse({text.substr(0, cut), text.substr(cut)}), expected) << cut;
  }
}

TEST(SseParser, JoinsDataLinesWithLf) {
  EXPECT_EQ(parse("data: a\ndata:\ndata:  b\n\n"), (std::vector<Seen>{{"a\n\n b", "", ""}}));
}

TEST(SseParser, SkipsCommentsAndCountsThem) {
  std::vector<std::string> data;
  SseParser parser([&](SseEvent& event) { data.push_back(event.data); });
  parser.push(": keep-alive\n\n:\n\n: data: x\ndata: y\n\n");
  EXPECT_EQ(data, std::vector<std::string>{"y"});
  EXPECT_EQ(parser.comments(), 3U);
}

TEST(SseParser, ReportsPrimingEventsAsNoMessage) {
  EXPECT_EQ(parse("id: 7\ndata: \n\n"), (std::vector<Seen>{{"", "", "7", true}}));
  EXPECT_EQ(parse("event: prime\nid: 8\n\n"), (std::vector<Seen>{{"", "prime", "8", true}}));
  EXPECT_EQ(parse("retry: 3000\n\nevent: x\n\n"), std::vector<Seen>{});
}

TEST(SseParser, TracksIdAndRetry) {
  SseParser parser([](SseEvent&) {});
  parser.push("retry: 3000\nid: a\n\nretry: x\nretry:\nid: b");
  EXPECT_EQ(parser.retry(), Duration(3s));
  EXPECT_EQ(parser.last_event_id(), "a");
  parser.push(std::string_view("\nid: has\0nul\n\n", 14));
  EXPECT_EQ(parser.last_event_id(), "b");
  parser.push("id\n\n");
  EXPECT_EQ(parser.last_event_id(), "");
}

TEST(SseParser, IgnoresUnknownFieldsHoweverLong) {
  EXPECT_EQ(parse("dat: x\ndataa: y\n" + std::string(10'000, 'd') + ": z\nData: w\ndata: v\n\n"),
            (std::vector<Seen>{{"v", "", ""}}));
}

TEST(SseParser, SkipsAByteOrderMarkOnlyAtTheStart) {
  const std::string text =
      "\xef\xbb\xbf"
      "data: a\n\n\xef\xbb\xbf"
      "data: b\n\ndata: c\n\n";
  const std::vector<Seen> expected{{"a", "", ""}, {"c", "", ""}};
  EXPECT_EQ(parse(text), expected);
  for (std::size_t cut = 1; cut < 6; ++cut)
    EXPECT_EQ(parse({text.substr(0, cut), text.substr(cut)}), expected) << cut;
  EXPECT_EQ(parse("\xef\xbb"
                  "data: a\n\ndata: b\n\n"),
            (std::vector<Seen>{{"b", "", ""}}));
}

TEST(SseParser, DropsAnEventThatIsNotEnded) {
  std::vector<std::string> data;
  SseParser parser([&](SseEvent& event) { data.push_back(event.data); });
  parser.push("data: a\n\ndata: b\n");
  EXPECT_EQ(data, std::vector<std::string>{"a"});
  EXPECT_TRUE(parser.inside_event());
  parser.push("\n");
  EXPECT_FALSE(parser.inside_event());
  parser.push("da");
  EXPECT_TRUE(parser.inside_event());
}

TEST(SseParser, LetsTheDataBeMovedOut) {
  std::vector<std::string> data;
  SseParser parser([&](SseEvent& event) { data.push_back(std::move(event.data)); });
  parser.push("data: a\n\ndata: b\n\n");
  EXPECT_EQ(data, (std::vector<std::string>{"a", "b"}));
}

// Counts work, not time: a parser that looked again at what it already holds would need 3.3 MB per
// piece, and 3000 pieces of it take minutes.
TEST(SseParser, TakesALongLineInSmallPiecesWithoutLookingBack) {
  const std::string line(3'300'000, 'x');
  std::size_t received = 0;
  SseParser parser([&](SseEvent& event) { received = event.data.size(); });
  parser.push("data: ");
  for (std::size_t at = 0; at < line.size(); at += 1000)
    parser.push(std::string_view(line).substr(at, 1000));
  parser.push("\n\n");
  EXPECT_EQ(received, line.size());
}

TEST(SseParser, TakesManyShortLinesInOnePieceWithoutSearchingAheadForTheOtherLineEnd) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "data:x\n\n";
  for (int i = 0; i < 100'000; ++i) text += "data:x\r\r";
  std::size_t events = 0;
  SseParser parser([&](SseEvent&) { ++events; });
  parser.push(text);
  EXPECT_EQ(events, 200'000U);
}

TEST(SseParser, TakesUpAnotherStreamBehindTheLastCompleteEvent) {
  std::vector<std::string> events;
  SseParser parser([&](SseEvent& event) { events.push_back(event.data); });
  parser.push("retry: 250\nid: 1\ndata: a\n\nid: 2\ndata: b");
  EXPECT_EQ(parser.last_event_id(), "1") << "the second event was never complete";
  parser.begin_new_stream();
  EXPECT_FALSE(parser.inside_event());
  EXPECT_EQ(parser.last_event_id(), "1");
  EXPECT_EQ(parser.retry(), Duration(250ms));
  parser.push("id: 2\ndata: b\n\n");
  EXPECT_EQ(events, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parser.last_event_id(), "2");
}

}  // namespace
}  // namespace weighbridge::protocol

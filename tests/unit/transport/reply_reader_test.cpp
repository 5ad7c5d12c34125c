#include "transport/reply_reader.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support.h"

namespace weighbridge::transport {
namespace {

using State = ReplyReader::State;
using Media = ReplyReader::Media;

struct Body final : BodySink {
  std::string text;
  void on_body(std::string_view piece) override { text += piece; }
};

struct Read {
  State state = State::more;
  std::string body;
  int status = 0;
  Media media = Media::other;
  bool reusable = false;
};

Read read(std::string_view bytes, std::size_t piece) {
  ReplyReader reader;
  Body body;
  Read result;
  while (!bytes.empty() && result.state == State::more) {
    result.state = reader.feed(bytes.substr(0, piece), body);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  if (result.state == State::more) result.state = reader.finish(body);
  return {result.state, body.text, reader.status(), reader.media(), reader.reusable()};
}

TEST(ReplyReader, ReadsWhatRealServersSentHoweverItIsCut) {
  for (const char* file :
       {"everything_accepted", "everything_initialize", "everything_no_session", "everything_tools",
        "node_bad_request", "node_chunked", "node_close", "node_continue", "node_empty",
        "node_hints", "node_length", "node_missing", "node_nocontent", "node_trailers",
        "python_length", "python_until_close"}) {
    const std::string bytes = testing::read_fixture("replies/" + std::string(file) + ".http");
    const Read whole = read(bytes, bytes.size());
    ASSERT_EQ(whole.state, State::whole) << file;
    for (const std::size_t piece : {1U, 2U, 7U, 64U}) {
      const Read pieces = read(bytes, piece);
      EXPECT_EQ(pieces.state, State::whole) << file;
      EXPECT_EQ(pieces.body, whole.body) << file;
      EXPECT_EQ(pieces.status, whole.status) << file;
      EXPECT_EQ(pieces.media, whole.media) << file;
      EXPECT_EQ(pieces.reusable, whole.reusable) << file;
    }
  }
}

std::string reply(const std::string& header) {
  return "HTTP/1.1 200 OK\r\nX-Content-Type: text/event-stream\r\n" + header +
         "\r\nContent-Length: 2\r\n\r\nhi";
}

TEST(ReplyReader, KnowsTheKindOfBodyByItsType) {
  EXPECT_EQ(read(reply("Content-Type: application/json"), 3).media, Media::json);
  EXPECT_EQ(read(reply("content-type:TEXT/Event-Stream; charset=utf-8"), 5).media, Media::sse);
  EXPECT_EQ(read(reply("Content-Type: text/plain"), 100).media, Media::other);
  EXPECT_EQ(read(reply("Content-Types: application/json"), 100).media, Media::other);
}

TEST(ReplyReader, TrustsNoConnectionWithBytesBehindTheReply) {
  EXPECT_TRUE(read(reply("A: b"), 1000).reusable);
  EXPECT_FALSE(read(reply("A: b") + "more", 1000).reusable);
  EXPECT_FALSE(read(reply("Connection: close"), 1000).reusable);
}

TEST(ReplyReader, RefusesWhatIsNotHttp) {
  for (const char* bytes :
       {"SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi"})
    EXPECT_EQ(read(bytes, 1000).state, State::broken) << bytes;
}

TEST(ReplyReader, IsUsedAgainAfterAReset) {
  ReplyReader reader;
  for (int i = 0; i < 3; ++i) {
    Body body;
    reader.reset();
    EXPECT_EQ(reader.status(), 0);
    EXPECT_EQ(reader.feed(reply("Content-Type: application/json"), body), State::whole);
    EXPECT_EQ(body.text, "hi");
    EXPECT_EQ(reader.media(), Media::json);
  }
}

}  // namespace
}  // namespace weighbridge::transport

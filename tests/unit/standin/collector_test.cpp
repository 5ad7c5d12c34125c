#include "standin/collector.h"

#include <gtest/gtest.h>

#include "support.h"
#include "transport/url.h"

namespace weighbridge::standin {
namespace {

using transport::testing::RawPeer;

class CollectorTest : public ::testing::Test {
 protected:
  std::unique_ptr<Collector> collector = Collector::start().value();
  RawPeer peer = RawPeer::connect_to(transport::parse_url(collector->url())->port);

  void post(const std::string& path, const std::string& type, const std::string& body) {
    peer.write(transport::render_request("POST", path, "h", {{"Content-Type", type}}, body));
  }
};

TEST_F(CollectorTest, AcceptsProtobufWithAnEmptyMessage) {
  post("/v1/traces", "application/x-protobuf", "\n\x02hi");
  const std::string expected =
      "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";
  EXPECT_EQ(peer.read(expected.size()), expected);
}

TEST_F(CollectorTest, AcceptsJsonWithAnEmptyObject) {
  post("/v1/metrics", "application/json; charset=utf-8", "{}");
  const std::string expected =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
  EXPECT_EQ(peer.read(expected.size()), expected);
}

TEST_F(CollectorTest, CountsBySignal) {
  post("/v1/traces", "application/x-protobuf", "123");
  post("/prefix/v1/traces", "application/x-protobuf", "4567");
  post("/v1/metrics", "application/x-protobuf", "1");
  post("/v1/logs?x=1", "application/x-protobuf", "12");
  post("/v1development/profiles", "application/x-protobuf", "12345");
  for (int i = 0; i < 5; ++i) EXPECT_NE(peer.read_until("\r\n\r\n"), "");
  const auto counts = collector->counts();
  ASSERT_EQ(counts.size(), 4U);
  EXPECT_EQ(counts.at("traces").requests, 2U);
  EXPECT_EQ(counts.at("traces").bytes, 7U);
  EXPECT_EQ(counts.at("metrics").bytes, 1U);
  EXPECT_EQ(counts.at("metrics").unread, 1U);
  EXPECT_EQ(counts.at("logs").bytes, 2U);
  EXPECT_EQ(counts.at("other").bytes, 5U);
  collector->reset_counters();
  EXPECT_TRUE(collector->counts().empty());
}

TEST_F(CollectorTest, CountsWhatIsInThem) {
  post("/v1/traces", "application/json",
       R"({"resourceSpans":[{"scopeSpans":[{"spans":[{},{}]},{"spans":[{}]}]}]})");
  post("/v1/logs", "application/x-protobuf", std::string("\x0a\x04\x12\x02\x12\x00", 6));
  for (int i = 0; i < 2; ++i) EXPECT_NE(peer.read_until("\r\n\r\n"), "");
  const auto counts = collector->counts();
  EXPECT_EQ(counts.at("traces").items, 3U);
  EXPECT_EQ(counts.at("logs").items, 1U);
  EXPECT_EQ(counts.at("logs").unread, 0U);
}

TEST_F(CollectorTest, TakesBatchesOfMegabytes) {
  post("/v1/traces", "application/x-protobuf", std::string(10'000'000, 'x'));
  EXPECT_TRUE(peer.read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_EQ(collector->counts().at("traces").bytes, 10'000'000U);
}

TEST_F(CollectorTest, CountsNothingForOtherMethods) {
  peer.write(transport::testing::get("/v1/traces"));
  EXPECT_TRUE(peer.read_until("\r\n\r\n").starts_with("HTTP/1.1 405"));
  EXPECT_TRUE(collector->counts().empty());
}

TEST_F(CollectorTest, AccountsForItsOwnProcessorTime) {
  const Duration before = collector->cpu();
  for (int i = 0; i < 200; ++i) {
    post("/v1/logs", "application/x-protobuf", "x");
    EXPECT_NE(peer.read_until("\r\n\r\n"), "");
  }
  EXPECT_GT(collector->cpu(), before);
}

}  // namespace
}  // namespace weighbridge::standin

// curl as a judge of the server: a client that many people have made strict.
#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "support.h"
#include "transport/http_server.h"

namespace weighbridge::transport {
namespace {

/// A server on a thread of its own, since curl is waited for on this one.
class CurlTest : public ::testing::Test {
 protected:
  CurlTest() {
    poller = os::Poller::create().value();
    server = HttpServer::listen(*poller, {}, answer).value();
    thread = std::thread([this] { poller->run(); });
  }
  ~CurlTest() override {
    poller->stop();
    thread.join();
  }

  static void answer(HttpRequest&& request, const std::shared_ptr<HttpReply>& reply) {
    static const auto kListing = std::make_shared<const std::string>(3'200'000, 'x');
    if (request.path() == "/listing") return reply->send(200, {}, Body().add(kListing));
    if (request.path() == "/events") {
      reply->begin(200, {{"Content-Type", "text/event-stream"}});
      for (int i = 0; i < 3; ++i) reply->write(Body("data: " + std::to_string(i) + "\n\n"));
      return reply->end();
    }
    if (request.path() == "/none") return reply->send(404, {}, Body("none"));
    reply->send(200, {{"Content-Type", "text/plain"}},
                Body(request.method + " " + std::to_string(request.body.size())));
  }

  /// What curl prints, given `input_bytes` of something to read. "$" stands for the server's
  /// address.
  [[nodiscard]] std::string curl(std::string words, std::size_t input_bytes = 0) const {
    const std::string address = "http://127.0.0.1:" + std::to_string(server->port());
    for (std::size_t at = words.find('$'); at != std::string::npos; at = words.find('$'))
      words.replace(at, 1, address);
    FILE* const pipe = ::popen(("head -c " + std::to_string(input_bytes) +
                                " /dev/zero | curl -sS --max-time 20 " + words + " 2>&1")
                                   .c_str(),
                               "r");
    std::string output;
    char buffer[65536];
    for (std::size_t count = 1; count > 0; output.append(buffer, count))
      count = std::fread(buffer, 1, sizeof buffer, pipe);
    EXPECT_EQ(::pclose(pipe), 0) << "curl " << words << ": " << output.substr(0, 500);
    return output;
  }

  std::unique_ptr<os::Poller> poller;
  std::unique_ptr<HttpServer> server;
  std::thread thread;
};

TEST_F(CurlTest, Gets) {
  EXPECT_EQ(curl("$/"), "GET 0");
  EXPECT_EQ(curl("-o /dev/null -w '%{http_code} %{content_type} %{size_download}' $/"),
            "200 text/plain 5");
  EXPECT_EQ(curl("-w ' %{http_code}' $/none"), "none 404");
}

TEST_F(CurlTest, PostsWithALengthAndInChunks) {
  EXPECT_EQ(curl("-d '{}' $/"), "POST 2");
  EXPECT_EQ(curl("-H 'Transfer-Encoding: chunked' -d '{}' $/"), "POST 2");
}

TEST_F(CurlTest, WaitsForContinueBeforeALargeBody) {
  const std::string said = curl("-v --expect100-timeout 15 --data-binary @- $/", 2'000'000);
  EXPECT_NE(said.find("< HTTP/1.1 100 Continue"), std::string::npos) << said;
  EXPECT_NE(said.find("POST 2000000"), std::string::npos) << said;
}

TEST_F(CurlTest, ReadsAListingOfMegabytes) {
  EXPECT_EQ(curl("$/listing"), std::string(3'200'000, 'x'));
}

TEST_F(CurlTest, ReadsChunksAsEvents) {
  EXPECT_EQ(curl("$/events"), "data: 0\n\ndata: 1\n\ndata: 2\n\n");
  EXPECT_EQ(curl("-0 $/events"), "data: 0\n\ndata: 1\n\ndata: 2\n\n") << "HTTP/1.0";
}

TEST_F(CurlTest, AsksForHeadsAlone) {
  EXPECT_EQ(curl("-I $/listing"), "HTTP/1.1 200 OK\r\nContent-Length: 3200000\r\n\r\n");
}

TEST_F(CurlTest, ReusesItsConnection) {
  EXPECT_EQ(curl("-w ' %{num_connects} ' $/ $/ $/"), "GET 0 1 GET 0 0 GET 0 0 ");
}

TEST_F(CurlTest, OffersHttp2InVain) {
  EXPECT_EQ(curl("--http2 -w ' %{http_version}' $/"), "GET 0 1.1");
}

}  // namespace
}  // namespace weighbridge::transport

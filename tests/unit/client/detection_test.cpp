#include "client/detail/detection.h"

#include <gtest/gtest.h>

#include <optional>

#include "client/session.h"
#include "peers.h"

namespace weighbridge::client {
namespace {

using protocol::Era;

const Era* const kLegacy = &protocol::newest_handshake_era();
const Era* const kModern = &protocol::newest_era();

json error_of(const json& request, int code, const json& data = json::object()) {
  return {{"jsonrpc", "2.0"},
          {"id", request["id"]},
          {"error", {{"code", code}, {"message", "no"}, {"data", data}}}};
}
json introduction(const std::string& version) {
  return {{"protocolVersion", version}, {"capabilities", json::object()}};
}
bool says(const Error& error, const std::vector<std::string>& words) {
  return std::ranges::all_of(words, [&](const std::string& word) {
    return describe(error).find(word) != std::string::npos;
  });
}

// --- HTTP --------------------------------------------------------------------------------------

class DetectOverHttp : public ::testing::Test {
 protected:
  Result<Detected> detect(HttpPeer::Script script, const Era* asked, Duration patience = 20s) {
    peer.emplace(*poller, std::move(script));
    HttpAccess access;
    access.url = {.scheme = "http", .host = "127.0.0.1", .port = peer->port(), .target = "/mcp"};
    return detect_over_http(*poller, access, asked, {}, os::now() + patience);
  }

  std::unique_ptr<os::Poller> poller = *os::Poller::create();
  std::optional<HttpPeer> peer;
};

TEST_F(DetectOverHttp, FindsBothErasOfContext7AndPrefersTheNewer) {
  const auto detected = detect(replay_http("context7-http-2026-07-28"), nullptr);
  ASSERT_TRUE(detected) << describe(detected.error());
  EXPECT_EQ(detected->era, kModern);
  EXPECT_EQ(detected->server.name, "Context7");
  EXPECT_EQ(detected->server.revisions, std::vector<std::string>{"2026-07-28"});
  EXPECT_EQ(detected->evidence, "server/discover: HTTP 200 supportedVersions 2026-07-28");
  EXPECT_EQ(peer->requests.size(), 1U);
}

TEST_F(DetectOverHttp, ShakesHandsWithServerEverythingAndLeavesNoSessionBehind) {
  const auto detected = detect(replay_http("everything-http-2025-11-25"), nullptr);
  ASSERT_TRUE(detected) << describe(detected.error());
  EXPECT_EQ(detected->era, kLegacy);
  EXPECT_EQ(detected->server.name, "mcp-servers/everything");
  EXPECT_NE(detected->evidence.find("-32000"), std::string::npos);
  EXPECT_NE(detected->evidence.find("initialize: 2025-11-25"), std::string::npos);
  EXPECT_EQ(peer->requests.back().verb, "DELETE");
}

TEST_F(DetectOverHttp, AskedForARevisionSpeaksNoOther) {
  const auto legacy = detect(replay_http("context7-http-2025-11-25"), kLegacy);
  ASSERT_TRUE(legacy);
  EXPECT_EQ(legacy->era, kLegacy);
  EXPECT_EQ(peer->requests.front().method(), "initialize");

  const auto modern = detect(replay_http("everything-http-2025-11-25"), kModern);
  ASSERT_FALSE(modern);
  EXPECT_EQ(modern.error().code, ErrorCode::target);
  EXPECT_TRUE(says(modern.error(), {"2026-07-28", "-32000"})) << describe(modern.error());
}

TEST_F(DetectOverHttp, NamesBothRevisionsWhenTheServerDowngrades) {
  const auto detected = detect(
      [](const RawRequest& request) {
        return respond(request.message(), introduction("2025-03-26"));
      },
      kLegacy);
  ASSERT_FALSE(detected);
  EXPECT_TRUE(says(detected.error(), {"2025-11-25", "2025-03-26", "http://127.0.0.1"}))
      << describe(detected.error());
}

TEST_F(DetectOverHttp, NegotiatesAnOlderRevisionWhenNoneIsAskedFor) {
  const auto detected = detect(
      [](const RawRequest& request) {
        if (request.method() == "server/discover") return respond(404, "", "");
        if (request.method() == "initialize")
          return respond(request.message(), introduction("2024-11-05"));
        return respond(202, "", "");
      },
      nullptr);
  ASSERT_TRUE(detected) << describe(detected.error());
  EXPECT_EQ(detected->era->name, "2024-11-05");
}

TEST_F(DetectOverHttp, AsksAgainForTheRevisionThatARefusalNames) {
  const auto detected = detect(
      [calls = 0](const RawRequest& request) mutable {
        if (++calls == 1)
          return respond(
              400, "application/json",
              error_of(request.message(), -32022, {{"supported", {"2026-07-28"}}}).dump());
        return respond(request.message(), {{"supportedVersions", {"2026-07-28"}}});
      },
      nullptr);
  ASSERT_TRUE(detected) << describe(detected.error());
  EXPECT_EQ(detected->era, kModern);
  EXPECT_EQ(peer->requests.size(), 2U);
}

TEST_F(DetectOverHttp, DoesNotAskAThirdTime) {
  const auto detected = detect(
      [](const RawRequest& request) {
        return respond(400, "application/json",
                       error_of(request.message(), -32022, {{"supported", {"2026-07-28"}}}).dump());
      },
      nullptr);
  EXPECT_FALSE(detected);
  EXPECT_EQ(peer->requests.size(), 2U);
}

TEST_F(DetectOverHttp, NamesRevisionsItDoesNotKnow) {
  const auto detected = detect(
      [](const RawRequest& request) {
        return respond(request.message(), {{"supportedVersions", {"2027-03-01", "2028-01-01"}}});
      },
      nullptr);
  ASSERT_FALSE(detected);
  EXPECT_TRUE(says(detected.error(), {"2027-03-01", "2028-01-01", "2026-07-28"}))
      << describe(detected.error());
  EXPECT_EQ(peer->requests.size(), 1U);
}

TEST_F(DetectOverHttp, ReportsWhatIsNoEvidenceInsteadOfGuessing) {
  for (const int status : {401, 403, 429, 500, 503}) {
    const auto detected = detect(
        [=](const RawRequest&) { return respond(status, "text/plain", "go away"); }, nullptr);
    ASSERT_FALSE(detected);
    EXPECT_EQ(detected.error().code, ErrorCode::target);
    EXPECT_TRUE(says(detected.error(), {std::to_string(status), "go away", "/mcp"}))
        << describe(detected.error());
    EXPECT_EQ(peer->requests.size(), 1U);
  }
}

TEST_F(DetectOverHttp, ReportsAServerThatNeverAnswers) {
  const auto detected = detect([](const RawRequest&) { return RawAnswer{}; }, nullptr, 50ms);
  ASSERT_FALSE(detected);
  EXPECT_EQ(detected.error().code, ErrorCode::target);
  EXPECT_TRUE(says(detected.error(), {"server/discover", "in time"})) << describe(detected.error());
}

TEST_F(DetectOverHttp, SaysThatSomethingElseAnswers) {
  const auto detected =
      detect([](const RawRequest&) { return respond(200, "text/html", "<html>It works!</html>"); },
             nullptr);
  ASSERT_FALSE(detected);
  EXPECT_TRUE(says(detected.error(), {"It works!", "initialize", "server/discover"}))
      << describe(detected.error());
}

TEST_F(DetectOverHttp, TellsARefusedRequestFromAnOldServer) {
  const auto detected = detect(
      [](const RawRequest& request) {
        return respond(400, "application/json", error_of(request.message(), -32020).dump());
      },
      nullptr);
  ASSERT_FALSE(detected);
  EXPECT_TRUE(says(detected.error(), {"speaks 2026-07-28", "-32020"}))
      << describe(detected.error());
  EXPECT_EQ(peer->requests.size(), 1U);
}

// --- stdio -------------------------------------------------------------------------------------

class DetectOverStdio : public ::testing::Test {
 protected:
  auto fresh(StdioPeer::Script script) {
    return [this, script]() -> Result<std::unique_ptr<transport::StdioChannel>> {
      peers.push_back(std::make_unique<StdioPeer>(*poller, script));
      return peers.back()->channel();
    };
  }
  Result<Detected> detect(StdioPeer::Script script, const Era* asked) {
    return detect_over_stdio(*poller, fresh(std::move(script)), asked, {}, os::now() + 20s);
  }
  /// With less patience than five seconds for a silent server.
  Result<Detected> detect_impatiently(const StdioPeer::Script& script) {
    detail::Asking asking;
    asking.stdio = true;
    asking.fresh = [&](const Era* era, HttpDialect) -> Result<std::unique_ptr<Session>> {
      SessionOptions options;
      options.era = era;
      return Session::over_stdio(*poller, *fresh(script)(), options);
    };
    asking.discover_patience = 50ms;
    asking.close_grace = 1s;
    return detail::detect(asking, nullptr, os::now() + 20s);
  }

  std::unique_ptr<os::Poller> poller = *os::Poller::create();
  std::vector<std::unique_ptr<StdioPeer>> peers;
};

TEST_F(DetectOverStdio, FindsTheErasOfRealServers) {
  EXPECT_EQ(detect(replay_stdio("context7-stdio-2026-07-28"), nullptr)->era, kModern);
  EXPECT_EQ(peers.size(), 1U);
  for (const char* transcript : {"everything-stdio-2025-11-25", "filesystem-stdio-2025-11-25"}) {
    peers.clear();
    const auto detected = detect(replay_stdio(transcript), nullptr);
    ASSERT_TRUE(detected) << describe(detected.error());
    EXPECT_EQ(detected->era, kLegacy);
    ASSERT_EQ(peers.size(), 2U) << "the fallback needs a fresh process";
    EXPECT_EQ(json::parse(peers[0]->received.back())["method"], "server/discover");
    EXPECT_EQ(json::parse(peers[1]->received.front())["method"], "initialize");
    EXPECT_TRUE(peers[0]->saw_end());
    EXPECT_TRUE(peers[1]->saw_end());
  }
}

TEST_F(DetectOverStdio, FallsBackWhenTheServerQuitsOnDiscover) {
  const auto detected = detect(
      [](StdioPeer& it, const json& request) {
        if (request["method"] == "server/discover") return it.end();
        if (request["method"] == "initialize") it.result(request, introduction("2025-06-18"));
      },
      nullptr);
  ASSERT_TRUE(detected) << describe(detected.error());
  EXPECT_EQ(detected->era->name, "2025-06-18");
  EXPECT_NE(detected->evidence.find("closed"), std::string::npos) << detected->evidence;
}

TEST_F(DetectOverStdio, FallsBackWhenTheServerIsSilentOnDiscover) {
  const auto detected = detect_impatiently([](StdioPeer& it, const json& request) {
    if (request["method"] == "initialize") it.result(request, introduction("2025-11-25"));
  });
  ASSERT_TRUE(detected) << describe(detected.error());
  EXPECT_NE(detected->evidence.find("silence"), std::string::npos) << detected->evidence;
}

TEST_F(DetectOverStdio, NamesThePastWhenNothingIsSpoken) {
  const auto detected = detect(
      [](StdioPeer& it, const json& request) { it.say(error_of(request, -32603)); }, nullptr);
  ASSERT_FALSE(detected);
  EXPECT_EQ(detected.error().code, ErrorCode::target);
  EXPECT_TRUE(says(detected.error(), {"initialize", "-32603", "server/discover"}))
      << describe(detected.error());
}

TEST_F(DetectOverStdio, AskedForARevisionStartsOneProcessOnly) {
  EXPECT_EQ(detect(replay_stdio("everything-stdio-2025-11-25"), kLegacy)->era, kLegacy);
  EXPECT_EQ(peers.size(), 1U);
  peers.clear();
  const auto modern = detect(replay_stdio("everything-stdio-2025-11-25"), kModern);
  ASSERT_FALSE(modern);
  EXPECT_TRUE(says(modern.error(), {"2026-07-28", "-32601"})) << describe(modern.error());
  EXPECT_EQ(peers.size(), 1U);
}

TEST_F(DetectOverStdio, ShowsWhatAServerPrintsInsteadOfAnswering) {
  const auto detected = detect_impatiently([](StdioPeer& it, const json& request) {
    it.print("usage: server [--help]");
    if (request["method"] == "initialize") it.end();
  });
  ASSERT_FALSE(detected);
  EXPECT_TRUE(says(detected.error(), {"usage: server"})) << describe(detected.error());
}

TEST_F(DetectOverStdio, PassesOnThatNoProcessCanBeStarted) {
  const auto detected = detect_over_stdio(
      *poller,
      []() -> Result<std::unique_ptr<transport::StdioChannel>> {
        return fail(ErrorCode::target, "no such command");
      },
      nullptr, {}, os::now() + 1s);
  ASSERT_FALSE(detected);
  EXPECT_EQ(detected.error().what, "no such command");
}

}  // namespace
}  // namespace weighbridge::client

#include "reference/stats.h"

#include <gtest/gtest.h>

#include "support.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;

json rendered(const Stats& stats) {
  return json::parse(stats.render(
      {.surface = "dynamic", .transport = "http", .now = Instant(12s), .connections_accepted = 3}));
}

TEST(Stats, CountRequestsByMethodAndEnding) {
  Stats stats(Instant(10s));
  for (const auto ending : {Ending::ok, Ending::ok, Ending::is_error, Ending::abandoned}) {
    stats.request_began();
    stats.request_ended("tools/call", ending);
  }
  stats.request_began();
  stats.request_ended("made/up", Ending::error);
  stats.refused();
  const auto all = rendered(stats);
  EXPECT_EQ(all["requests"]["total"], 5);
  const auto& methods = all["requests"]["by_method"];
  EXPECT_EQ(methods["tools/call"],
            json::parse(R"({"ok":2,"is_error":1,"error":0,"refused":0,"abandoned":1})"));
  EXPECT_EQ(methods["(other)"]["error"], 1);
  EXPECT_EQ(methods["(transport)"]["refused"], 1);
  EXPECT_FALSE(methods.contains("tools/list"));
  EXPECT_EQ(all["server"]["uptime_seconds"], 2.0);
  EXPECT_EQ(all["connections"]["accepted"], 3);
}

TEST(Stats, RememberTheMostThatWereInFlight) {
  Stats stats(Instant{});
  stats.request_began();
  stats.request_began();
  stats.request_ended("ping", Ending::ok);
  const auto all = rendered(stats);
  EXPECT_EQ(all["requests"]["in_flight"], 1);
  EXPECT_EQ(all["requests"]["peak_in_flight"], 2);
}

TEST(Stats, TellCredentialsApartWithoutKeepingThem) {
  Stats stats(Instant{});
  EXPECT_TRUE(stats.see_credential(1));
  EXPECT_FALSE(stats.see_credential(1));
  EXPECT_TRUE(stats.see_credential(2));
  EXPECT_EQ(rendered(stats)["credentials_seen"], 2);
}

}  // namespace
}  // namespace weighbridge::reference

#include "reference/http_front.h"

#include <gtest/gtest.h>

namespace weighbridge::reference {
namespace {

TEST(Accepts, KnowsRangesAndLists) {
  EXPECT_TRUE(accepts(std::nullopt, "application/json"));
  EXPECT_TRUE(accepts("*/*", "application/json"));
  EXPECT_TRUE(accepts("text/html, application/json;q=0.9", "application/json"));
  EXPECT_TRUE(accepts("Application/JSON", "application/json"));
  EXPECT_TRUE(accepts("text/*", "text/event-stream"));
  EXPECT_FALSE(accepts("text/*", "application/json"));
  EXPECT_FALSE(accepts("application/json", "text/event-stream"));
  EXPECT_FALSE(accepts("", "application/json"));
}

TEST(LoopbackAuthority, IsKnownByItsNamesWithOrWithoutAPort) {
  for (const auto* name :
       {"localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:8080", "[::1]:1", "[::1]"})
    EXPECT_TRUE(is_loopback_authority(name)) << name;
  for (const auto* name :
       {"example.com", "localhost.example.com:80", "10.0.0.1:80", "", "[::2]:1", "127.example.com"})
    EXPECT_FALSE(is_loopback_authority(name)) << name;
}

}  // namespace
}  // namespace weighbridge::reference

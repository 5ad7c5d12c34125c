#include "protocol/identity.h"

#include <gtest/gtest.h>

namespace weighbridge::protocol {
namespace {

TEST(Identity, InitializeNeedsAVersionAndNothingElse) {
  const auto bare = read_initialize_result(R"({"protocolVersion":"2024-11-05"})");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->versions, std::vector<std::string>{"2024-11-05"});
  EXPECT_TRUE(bare->name.empty());
  EXPECT_FALSE(read_initialize_result(R"({"serverInfo":{"name":"x"}})"));
  EXPECT_FALSE(read_initialize_result("7"));
}

TEST(Identity, DiscoverTellsEveryVersionAndTheServerInItsMeta) {
  const auto server = read_discover_result(
      R"({"supportedVersions":["2026-07-28","2027-01-01"],"capabilities":{"tools":{},"logging":{}},)"
      R"("instructions":"a\nb","_meta":{"io.modelcontextprotocol/serverInfo":)"
      R"({"name":"n","title":"t","version":"v"}}})");
  ASSERT_TRUE(server);
  EXPECT_EQ(server->versions, (std::vector<std::string>{"2026-07-28", "2027-01-01"}));
  EXPECT_EQ(server->capabilities, (std::vector<std::string>{"tools", "logging"}));
  EXPECT_EQ(server->instructions_bytes, 3U);
  EXPECT_EQ(server->name, "n");
  EXPECT_EQ(server->title, "t");
  EXPECT_EQ(server->version, "v");
  EXPECT_FALSE(read_discover_result(R"({"capabilities":{}})"));
}

TEST(Identity, SupportedVersionsAreReadFromErrorData) {
  EXPECT_EQ(supported_versions(R"({"supported":["a",5,"b"],"requested":"c"})"),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(supported_versions("").empty());
  EXPECT_TRUE(supported_versions(R"(["a"])").empty());
}

}  // namespace
}  // namespace weighbridge::protocol

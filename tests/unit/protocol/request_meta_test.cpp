#include "protocol/request_meta.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weighbridge::protocol {
namespace {

using nlohmann::json;

const ClientInfo kClient{"weigh\"bridge", "1.2"};

TEST(RequestMeta, CarriesTheRequiredKeys) {
  const json meta = json::parse("{" + render_meta_members(newest_era(), kClient) + "}");
  EXPECT_EQ(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  EXPECT_EQ(meta["io.modelcontextprotocol/clientCapabilities"], json::object());
  EXPECT_EQ(meta["io.modelcontextprotocol/clientInfo"]["name"], "weigh\"bridge");
}

TEST(RequestMeta, IsMergedIntoAnyParams) {
  EXPECT_EQ(*merge_meta("{}", R"("a":1)"), R"({"_meta":{"a":1}})");
  EXPECT_EQ(*merge_meta(" { } ", R"("a":1)"), R"({"_meta":{"a":1}})");
  EXPECT_EQ(*merge_meta(R"({"x":{}})", R"("a":1)"), R"({"_meta":{"a":1},"x":{}})");
}

TEST(RequestMeta, KeepsTheMetaThatIsThere) {
  EXPECT_EQ(*merge_meta(R"({"x":1,"_meta":{"progressToken":5},"y":2})", R"("a":1)"),
            R"({"x":1,"_meta":{"a":1,"progressToken":5},"y":2})");
  EXPECT_EQ(*merge_meta(R"({"_meta":{}})", R"("a":1)"), R"({"_meta":{"a":1}})");
}

TEST(RequestMeta, RefusesParamsThatAreNoObject) {
  EXPECT_FALSE(merge_meta("[1]", R"("a":1)"));
  EXPECT_FALSE(merge_meta("", R"("a":1)"));
  EXPECT_FALSE(merge_meta(R"({"_meta":5})", R"("a":1)"));
}

TEST(RequestMeta, InitializeDeclaresNoCapability) {
  const json params = json::parse(render_initialize_params(newest_handshake_era(), kClient));
  EXPECT_EQ(params["protocolVersion"], "2025-11-25");
  EXPECT_EQ(params["capabilities"], json::object());
  EXPECT_EQ(params["clientInfo"]["version"], "1.2");
}

}  // namespace
}  // namespace weighbridge::protocol

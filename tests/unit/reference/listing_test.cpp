#include "reference/listing.h"

#include <gtest/gtest.h>

#include <set>

#include "support.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;
using testing::catalogue;

const Listing& listing(Surface surface) {
  static const std::array all{render_listing(Surface::dynamic, catalogue()),
                              render_listing(Surface::meta, catalogue()),
                              render_listing(Surface::individual, catalogue())};
  return all[static_cast<std::size_t>(surface)];
}

json tools(Surface surface) {
  return json::parse("[" + listing(surface).tools + "]");
}

constexpr std::array kSurfaces{Surface::dynamic, Surface::meta, Surface::individual};

TEST(Listing, WeighsWhatItsSurfaceIsKnownFor) {
  EXPECT_NEAR(static_cast<double>(listing(Surface::dynamic).tools.size()), 12'000, 1'800);
  EXPECT_NEAR(static_cast<double>(listing(Surface::meta).tools.size()), 600'000, 60'000);
  EXPECT_NEAR(static_cast<double>(listing(Surface::individual).tools.size()), 3'200'000, 320'000);
}

TEST(Listing, HasAsManyToolsAsItsSurfaceOffers) {
  EXPECT_EQ(tools(Surface::dynamic).size(), 4U);
  EXPECT_EQ(tools(Surface::meta).size(), 42U + 2U);
  EXPECT_EQ(tools(Surface::individual).size(), catalogue().operations().size() + 2);
}

TEST(Listing, NamesEveryToolOnceAndWithinTheRulesOfClients) {
  for (const auto surface : kSurfaces) {
    std::set<std::string> names;
    for (const auto& tool : tools(surface)) {
      const auto name = tool["name"].get<std::string>();
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_LE(name.size(), 64U) << name;
      EXPECT_FALSE(tool["description"].get<std::string>().empty()) << name;
      EXPECT_EQ(tool["inputSchema"]["type"], "object") << name;
      // Model providers refuse these at the top of a tool's schema.
      for (const auto* key : {"oneOf", "anyOf", "allOf"})
        EXPECT_FALSE(tool["inputSchema"].contains(key)) << name;
      for (const auto& [property, schema] : tool["inputSchema"]["properties"].items())
        EXPECT_LE(property.size(), 64U) << name;
    }
    EXPECT_TRUE(names.contains("gitlab_server_status"));
    EXPECT_TRUE(names.contains("null"));
  }
}

TEST(Listing, AnnotatesToolsByWhatTheirMethodDoes) {
  std::map<std::string, json> by_name;
  for (const auto& tool : tools(Surface::individual)) by_name[tool["name"]] = tool["annotations"];
  const auto& reads = by_name["gitlab_issues_list"];
  EXPECT_EQ(reads["readOnlyHint"], true);
  EXPECT_EQ(reads["idempotentHint"], true);
  EXPECT_EQ(reads["openWorldHint"], true);
  const auto& destroys = by_name["gitlab_issue_delete"];
  EXPECT_EQ(destroys["readOnlyHint"], false);
  EXPECT_EQ(destroys["destructiveHint"], true);
  EXPECT_EQ(by_name["gitlab_issue_create"]["idempotentHint"], false);
  EXPECT_EQ(by_name["gitlab_issue_update"]["idempotentHint"], true);
}

TEST(Listing, OffersEveryActionOnceOnTheMetaSurface) {
  std::set<std::string> actions;
  for (const auto& tool : tools(Surface::meta)) {
    if (!tool["inputSchema"]["properties"].contains("action")) continue;
    const auto& properties = tool["inputSchema"]["properties"];
    std::set<std::string> alternatives;
    for (const auto& alternative : properties["params"]["anyOf"])
      alternatives.insert(alternative["title"]);
    for (const auto& action : properties["action"]["enum"]) {
      EXPECT_TRUE(actions.insert(action).second) << action;
      EXPECT_TRUE(alternatives.contains(action)) << action;
    }
  }
  EXPECT_EQ(actions.size(), catalogue().operations().size());
}

TEST(Listing, SaysWhereEachToolEnds) {
  for (const auto surface : kSurfaces) {
    std::size_t begin = 0;
    const auto& all = listing(surface);
    for (const auto end : all.tool_ends) {
      EXPECT_EQ(all.tools[begin], '{');
      EXPECT_EQ(all.tools[end - 1], '}');
      begin = end + 1;
    }
    EXPECT_EQ(begin, all.tools.size() + 1);
  }
}

TEST(Listing, IsTheSameEveryTime) {
  EXPECT_EQ(render_listing(Surface::individual, catalogue()).tools,
            listing(Surface::individual).tools);
}

}  // namespace
}  // namespace weighbridge::reference

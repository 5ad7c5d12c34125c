#include <gtest/gtest.h>

#include "transport/http_server.h"

namespace weighbridge::transport {
namespace {

TEST(Body, SharesWhatItIsGivenShared) {
  const auto listing = std::make_shared<const std::string>("listing");
  Body body("{");
  body.add(listing).add("}");
  EXPECT_EQ(body.size(), 9U);
  ASSERT_EQ(body.pieces().size(), 3U);
  EXPECT_EQ(body.pieces()[1]->data(), listing->data());
}

TEST(Body, DropsEmptyPieces) {
  const Body body =
      Body("").add(std::make_shared<const std::string>()).add(std::shared_ptr<const std::string>());
  EXPECT_EQ(body.size(), 0U);
  EXPECT_TRUE(body.pieces().empty());
}

TEST(HttpRequest, PartsItsTarget) {
  HttpRequest request;
  request.target = "/api/v4/projects?per_page=2&x=?";
  EXPECT_EQ(request.path(), "/api/v4/projects");
  EXPECT_EQ(request.query(), "per_page=2&x=?");
  request.target = "/health";
  EXPECT_EQ(request.path(), "/health");
  EXPECT_EQ(request.query(), "");
}

}  // namespace
}  // namespace weighbridge::transport

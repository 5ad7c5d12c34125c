#include "standin/detail/recorder.h"

#include <gtest/gtest.h>

namespace weighbridge::standin::detail {
namespace {

transport::HttpRequest request(std::string target, transport::Headers headers) {
  return {.method = "POST",
          .target = std::move(target),
          .headers = std::move(headers),
          .body = "{}",
          .peer = {}};
}

TEST(Recorder, KeepsEverythingButTheSecret) {
  const RecordedRequest recorded = record_request(
      request("/api/v4/projects?per_page=2", {{"Host", "h"}, {"PRIVATE-TOKEN", "hunter2"}}));
  EXPECT_EQ(recorded.method, "POST");
  EXPECT_EQ(recorded.path, "/api/v4/projects");
  EXPECT_EQ(recorded.query, "per_page=2");
  EXPECT_EQ(recorded.body, "{}");
  EXPECT_EQ(recorded.header_names, (std::vector<std::string>{"Host", "PRIVATE-TOKEN"}));
  EXPECT_TRUE(recorded.had_credential);
}

TEST(Recorder, KnowsTheHeadersThatCarryCredentials) {
  for (const char* name : {"authorization", "Private-Token", "JOB-TOKEN", "Cookie", "x-api-key"})
    EXPECT_TRUE(record_request(request("/", {{name, "secret"}})).had_credential) << name;
  EXPECT_FALSE(record_request(request("/", {{"Accept", "*/*"}})).had_credential);
}

TEST(Recorder, MasksATokenInTheQuery) {
  const RecordedRequest recorded =
      record_request(request("/p?a=1&private_token=hunter2&access_token&b=2", {}));
  EXPECT_EQ(recorded.query, "a=1&private_token=***&access_token=***&b=2");
  EXPECT_TRUE(recorded.had_credential);
}

TEST(TokenOf, ReadsBothWaysOfSendingOne) {
  EXPECT_EQ(token_of({{"private-token", "abc"}}), "abc");
  EXPECT_EQ(token_of({{"Authorization", "bearer  abc "}}), "abc");
  EXPECT_EQ(token_of({{"Authorization", "Basic abc"}}), "");
  EXPECT_EQ(token_of({{"Authorization", "abc"}}), "");
  EXPECT_EQ(token_of({}), "");
}

}  // namespace
}  // namespace weighbridge::standin::detail

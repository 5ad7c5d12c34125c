#include "reference/upstream_request.h"

#include <gtest/gtest.h>

#include "support.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;
using testing::Arguments;
using testing::operation;

UpstreamRequest build(std::string_view id, const std::string& arguments) {
  const Arguments given(arguments);
  auto request = build_request(operation(id), given.get());
  EXPECT_TRUE(request) << describe(request.error());
  return request ? *request : UpstreamRequest{};
}

std::string problem(std::string_view id, const std::string& arguments) {
  const Arguments given(arguments);
  const auto request = build_request(operation(id), given.get());
  if (request) return "none: " + request->target;
  EXPECT_EQ(request.error().code, ErrorCode::usage);
  return request.error().what;
}

TEST(UpstreamRequest, PutsAProjectsPathIntoOneSegment) {
  const auto request = build("project.get", R"({"id":"group/sub group/name"})");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/projects/group%2Fsub%20group%2Fname");
  EXPECT_EQ(request.body, "");
  EXPECT_EQ(request.content_type, "");
}

TEST(UpstreamRequest, WritesFiltersOfAListAsRailsReadsThem) {
  const auto request = build(
      "issues.list",
      R"({"id":42,"state":"opened","labels":["a b","c"],"not":{"labels":["d"]},"per_page":50})");
  EXPECT_EQ(request.target,
            "/projects/42/issues?state=opened&labels%5B%5D=a%20b&labels%5B%5D=c&"
            "not%5Blabels%5D%5B%5D=d&per_page=50");
}

TEST(UpstreamRequest, PutsTheRestOfACreationIntoItsBody) {
  const auto request =
      build("issue.create", R"({"id":"g/p","title":"T \"t\"","labels":["a","b"],"weight":3})");
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/projects/g%2Fp/issues");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(json::parse(request.body),
            json::parse(R"({"title":"T \"t\"","labels":"a,b","weight":3})"));
}

TEST(UpstreamRequest, CreatesAMergeRequest) {
  const auto request =
      build("merge_request.create",
            R"({"id":1,"source_branch":"fix","target_branch":"main","title":"Fix","squash":true})");
  EXPECT_EQ(request.target, "/projects/1/merge_requests");
  EXPECT_EQ(json::parse(request.body),
            json::parse(R"({"source_branch":"fix","target_branch":"main","title":"Fix",)"
                        R"("squash":true})"));
}

TEST(UpstreamRequest, MergesAMergeRequestWithNothingButItsAddress) {
  const auto request = build("merge_request.merge", R"({"id":1,"merge_request_iid":7})");
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.target, "/projects/1/merge_requests/7/merge");
  EXPECT_EQ(request.body, "");
}

TEST(UpstreamRequest, EncodesTheSlashesOfAFilesPath) {
  const auto request = build("file.raw", R"({"id":1,"file_path":"src/a b.cpp","ref":"main"})");
  EXPECT_EQ(request.target, "/projects/1/repository/files/src%2Fa%20b.cpp/raw?ref=main");
}

TEST(UpstreamRequest, CommitsSeveralFilesAtOnce) {
  const auto request =
      build("commit.create", R"({"id":1,"branch":"b","commit_message":"m","actions":[)"
                             R"({"action":"create","file_path":"x","content":"y"}]})");
  EXPECT_EQ(json::parse(request.body)["actions"][0]["file_path"], "x");
}

TEST(UpstreamRequest, SendsParametersOfADeletionInItsQuery) {
  const auto request =
      build("file.delete", R"({"id":1,"file_path":"a","branch":"main","commit_message":"gone"})");
  EXPECT_EQ(request.method, "DELETE");
  EXPECT_EQ(request.target, "/projects/1/repository/files/a?branch=main&commit_message=gone");
  EXPECT_EQ(request.body, "");
}

TEST(UpstreamRequest, FillsPlaceholdersWithinASegment) {
  const auto request =
      build("go_module.info", R"({"project_id":1,"module_name":"a/b","module_version":"v1.0.0"})");
  EXPECT_EQ(request.target, "/projects/1/packages/go/a%2Fb/@v/v1.0.0.info");
}

TEST(UpstreamRequest, ReachesOperationsOfTheInstanceToo) {
  EXPECT_EQ(build("instance.search", R"({"scope":"projects","search":"a&b"})").target,
            "/search?scope=projects&search=a%26b");
  EXPECT_EQ(build_request(operation("version.get"), nullptr)->target, "/version");
}

TEST(UpstreamRequest, KeepsNestedSettingsNestedInABody) {
  const auto request = build(
      "project_import.start_from_url",
      R"({"url":"http://x","path":"p","override_params":{"description":"d","topics":["a"]}})");
  EXPECT_EQ(json::parse(request.body)["override_params"],
            json::parse(R"({"description":"d","topics":["a"]})"));
}

TEST(UpstreamRequest, UploadsAFileAsAForm) {
  const auto request = build("project_import.start",
                             R"({"path":"p","file":{"filename":"a\"b.tgz","content":"AAEC",)"
                             R"("encoding":"base64"},"override_params":{"description":"d"}})");
  EXPECT_EQ(request.content_type, "multipart/form-data; boundary=weighbridge-part");
  EXPECT_TRUE(request.body.contains("name=\"path\"\r\n\r\np\r\n")) << request.body;
  EXPECT_TRUE(request.body.contains("name=\"override_params[description]\"\r\n\r\nd\r\n"));
  EXPECT_TRUE(request.body.contains("filename=\"a_b.tgz\""));
  EXPECT_TRUE(request.body.contains(std::string_view("\r\n\r\n\0\1\2\r\n", 9)));
  EXPECT_TRUE(request.body.ends_with("--weighbridge-part--\r\n"));
}

TEST(UpstreamRequest, ChoosesABoundaryThatStandsInNoFile) {
  const auto request =
      build("group_import.start",
            R"({"name":"n","path":"p","file":{"filename":"f","content":"--weighbridge-part"}})");
  EXPECT_EQ(request.content_type, "multipart/form-data; boundary=weighbridge-partx");
}

TEST(UpstreamRequest, LetsThroughWhatGitLabUnderstands) {
  EXPECT_EQ(build("issue.get", R"({"id":1,"issue_iid":"12"})").target, "/projects/1/issues/12");
  EXPECT_EQ(build("issues.list", R"({"id":1,"confidential":"true","labels":"a"})").target,
            "/projects/1/issues?confidential=true&labels%5B%5D=a");
  EXPECT_EQ(build("issues.list", R"({"id":1,"state":null})").target, "/projects/1/issues");
}

TEST(UpstreamRequest, SaysWhatIsMissing) {
  EXPECT_EQ(problem("issue.get", R"({"id":1})"), "the required parameter issue_iid is missing");
  EXPECT_EQ(problem("issue.get", R"({"issue_iid":1,"id":null})"),
            "the required parameter id is missing");
  EXPECT_EQ(build_request(operation("issue.get"), nullptr).error().what,
            "the required parameter id is missing");
}

TEST(UpstreamRequest, NamesTheNearestParameter) {
  EXPECT_EQ(problem("issues.list", R"({"id":1,"stat":"opened"})"),
            "there is no parameter stat; did you mean state?");
  EXPECT_EQ(problem("issue.get", R"({"id":1,"issue_iid":1,"zzz":1})"),
            "there is no parameter zzz; it takes id, issue_iid");
  EXPECT_EQ(problem("issues.list", R"({"id":1,"not":{"label":["a"]}})"),
            "there is no parameter label; did you mean labels?");
}

TEST(UpstreamRequest, SaysWhatKindIsWanted) {
  EXPECT_EQ(problem("issue.get", R"({"id":1,"issue_iid":"twelve"})"),
            "issue_iid must be a whole number");
  EXPECT_EQ(problem("issue.get", R"({"id":{},"issue_iid":1})"), "id must be text");
  EXPECT_EQ(problem("issue.get", R"({"id":"","issue_iid":1})"), "id must not be empty");
  EXPECT_EQ(problem("issues.list", R"({"id":1,"confidential":"maybe"})"),
            "confidential must be true or false");
  EXPECT_EQ(problem("issues.list", R"({"id":1,"state":"open"})"),
            "state must be one of opened, closed, all");
  EXPECT_EQ(problem("issues.list", R"({"id":1,"not":5})"), "not must be an object");
  EXPECT_EQ(
      problem("commit.create", R"({"id":1,"branch":"b","commit_message":"m","actions":["x"]})"),
      "actions must be an array of objects");
  EXPECT_EQ(problem("group_import.start", R"({"name":"n","path":"p","file":{"filename":"f"}})"),
            "file must have filename and content");
  EXPECT_EQ(problem("group_import.start", R"({"name":"n","path":"p","file":)"
                                          R"({"filename":"f","content":"!","encoding":"base64"}})"),
            "the content of file is no base64");
}

}  // namespace
}  // namespace weighbridge::reference

#include "protocol/detection.h"

#include <gtest/gtest.h>

namespace weighbridge::protocol {
namespace {

using Verdict = EraRuling::Verdict;

std::string discovered(const std::string& versions) {
  return R"({"jsonrpc":"2.0","id":1,"result":{"supportedVersions":[)" + versions +
         R"(],"capabilities":{}}})";
}
std::string refused(int code, const std::string& data = "{}") {
  return R"({"jsonrpc":"2.0","id":1,"error":{"code":)" + std::to_string(code) +
         R"(,"message":"no","data":)" + data + "}}";
}

struct Row {
  std::string name;
  bool stdio;
  int status;
  std::string message;
  std::string trouble;
  Verdict verdict;
  std::string era;  ///< empty: none named
};

class WhichEra : public ::testing::TestWithParam<Row> {};

TEST_P(WhichEra, IsRuledByTheTable) {
  const Row& row = GetParam();
  const EraRuling ruling = rule_on_discover({.stdio = row.stdio,
                                             .http_status = row.status,
                                             .message = row.message,
                                             .trouble = row.trouble});
  EXPECT_EQ(ruling.verdict, row.verdict) << ruling.what;
  EXPECT_EQ(ruling.era == nullptr ? "" : ruling.era->name, row.era);
  EXPECT_FALSE(ruling.what.empty());
}

const std::vector<Row> kRows{
    {"CommonVersion", true, 0, discovered(R"("2026-07-28")"), "", Verdict::use, "2026-07-28"},
    {"CommonVersionHttp", false, 200, discovered(R"("2027-02-02","2026-07-28","2025-11-25")"), "",
     Verdict::use, "2026-07-28"},
    {"UnsupportedNamesModern", false, 400, refused(-32022, R"({"supported":["2026-07-28"]})"), "",
     Verdict::ask_again, "2026-07-28"},
    {"UnsupportedNamesModernStdio", true, 0,
     refused(-32022, R"({"supported":["2025-06-18","2026-07-28"]})"), "", Verdict::ask_again,
     "2026-07-28"},
    {"UnsupportedNamesOnlyLegacy", false, 400,
     refused(-32022, R"({"supported":["2025-06-18","2025-11-25"]})"), "", Verdict::handshake,
     "2025-11-25"},
    {"DiscoverNamesOnlyLegacy", true, 0, discovered(R"("2025-03-26")"), "", Verdict::handshake,
     "2025-03-26"},
    {"UnsupportedNamesOnlyUnknown", false, 400, refused(-32022, R"({"supported":["2027-02-02"]})"),
     "", Verdict::nothing_in_common, ""},
    {"DiscoverNamesOnlyUnknown", true, 0, discovered(R"("2027-02-02")"), "",
     Verdict::nothing_in_common, ""},
    {"UnsupportedWithoutNames", true, 0, refused(-32022), "", Verdict::handshake, ""},
    {"HeaderMismatch", false, 400, refused(-32020), "", Verdict::request_refused, "2026-07-28"},
    {"MissingCapability", false, 400, refused(-32021), "", Verdict::request_refused, "2026-07-28"},
    {"StdioMethodNotFound", true, 0, refused(-32601), "", Verdict::handshake, ""},
    {"StdioOtherError", true, 0, refused(-32000), "", Verdict::handshake, ""},
    {"StdioSilence", true, 0, "", "silence for 5 s", Verdict::handshake, ""},
    {"StdioExit", true, 0, "", "the process ended", Verdict::handshake, ""},
    {"StdioResultOfSomethingElse", true, 0, R"({"jsonrpc":"2.0","id":1,"result":{}})", "",
     Verdict::handshake, ""},
    {"HttpNotInitialized", false, 400, refused(-32000), "", Verdict::handshake, ""},
    {"HttpEmpty404", false, 404, "", "", Verdict::handshake, ""},
    {"HttpText405", false, 405, "Method Not Allowed", "", Verdict::handshake, ""},
    {"HttpProxyMethodNotFound", false, 404, refused(-32601), "", Verdict::handshake, ""},
    {"HttpErrorUnder200", false, 200, refused(-32601), "", Verdict::handshake, ""},
    {"HttpUnauthorized", false, 401, "", "", Verdict::no_evidence, ""},
    {"HttpForbidden", false, 403, refused(-32000), "", Verdict::no_evidence, ""},
    {"HttpTooMany", false, 429, "slow down", "", Verdict::no_evidence, ""},
    {"HttpBadGateway", false, 502, "<html>", "", Verdict::no_evidence, ""},
    {"HttpRedirect", false, 301, "", "", Verdict::no_evidence, ""},
    {"HttpTimeOut", false, 0, "", "no answer within 5 s", Verdict::no_evidence, ""},
    {"HttpRefusedConnection", false, 0, "", "connection refused", Verdict::no_evidence, ""},
};
INSTANTIATE_TEST_SUITE_P(Rows, WhichEra, ::testing::ValuesIn(kRows),
                         [](const auto& test) { return test.param.name; });

// As real servers of handshake eras, and what stands before them, refuse a question of discover.
TEST(RuleOnDiscover, TakesEveryRealRefusalForASignOfAHandshakeAndTellsItReadably) {
  const std::vector<std::tuple<int, std::string, std::string>> refusals{
      {400,
       R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},)"
       R"("id":null})",
       "HTTP 400 error -32000: Bad Request: Server not initialized"},
      {400,
       R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Unsupported protocol version )"
       R"([supported: 2025-11-25, 2025-06-18]"}})",
       "HTTP 400 error -32000: Unsupported protocol version [supported: 2025-11-25, 2025-06-18]"},
      {404,
       "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Error</title></head>\n<body>\n"
       "<pre>Cannot POST /sse</pre>\n</body></html>\n",
       "HTTP 404 Error Cannot POST /sse"},
      {400, "Bad Request: missing session ID\n", "HTTP 400 Bad Request: missing session ID"},
      {400, R"({"error":"no session"})", R"(HTTP 400 {"error":"no session"})"},
      {404, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}})",
       "HTTP 404 error -32601: Method not found"},
      {405, "", "HTTP 405"},
      {400, std::string("\x1b[31m\xff\0no", 9), "HTTP 400 [31m\xef\xbf\xbd no"}};
  for (const auto& [status, body, told] : refusals) {
    const EraRuling ruling =
        rule_on_discover({.stdio = false, .http_status = status, .message = body, .trouble = {}});
    EXPECT_EQ(ruling.verdict, Verdict::handshake) << body;
    EXPECT_EQ(ruling.what, told);
  }
}

TEST(RuleOnDiscover, SaysWhoTheServerIs) {
  const std::string message = discovered(R"("2026-07-28")");
  const EraRuling ruling =
      rule_on_discover({.stdio = true, .http_status = 0, .message = message, .trouble = {}});
  EXPECT_EQ(ruling.server.versions, std::vector<std::string>{"2026-07-28"});
  EXPECT_EQ(ruling.what, "supportedVersions 2026-07-28");
}

}  // namespace
}  // namespace weighbridge::protocol

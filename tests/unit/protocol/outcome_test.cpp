#include "protocol/outcome.h"

#include <gtest/gtest.h>

namespace weighbridge::protocol {
namespace {

ReplyFacts http(int status, std::string_view message) {
  return {.http_status = status, .message = message, .expected_id = "7"};
}
ReplyFacts tool_call(std::string_view message) {
  return {.message = message, .expected_id = "7", .tool_call = true};
}
Verdict judge_plain(const ReplyFacts& reply) {
  return judge(reply, {}, {});
}
std::string answer(const std::string& result) {
  return R"({"jsonrpc":"2.0","id":7,"result":)" + result + "}";
}
std::string long_text(std::size_t bytes) {
  return R"({"type":"text","text":")" + std::string(bytes, 'x') + R"("})";
}

TEST(Judge, ServesACompleteMatchingReply) {
  const Verdict verdict = judge_plain(http(200, answer("{}")));
  EXPECT_EQ(verdict.outcome, Outcome::served);
  EXPECT_TRUE(verdict.reason.empty());
}

TEST(Judge, HungIsNeitherFailedNorServed) {
  ReplyFacts reply = http(200, answer("{}"));
  reply.hung = true;
  EXPECT_EQ(judge_plain(reply).outcome, Outcome::hung);
}

TEST(Judge, ATransportErrorFailsWithItsWords) {
  const Error error{ErrorCode::closed, "connection reset", "127.0.0.1:80", "", 0};
  ReplyFacts reply = http(0, "");
  reply.transport_error = &error;
  EXPECT_EQ(judge_plain(reply).outcome, Outcome::failed);
  EXPECT_NE(judge_plain(reply).reason.find("connection reset"), std::string::npos);
}

TEST(Judge, NotNowIsRefusedWhateverTheBodySays) {
  for (const int status : {429, 503}) {
    const Verdict verdict = judge_plain(http(status, "<html>try later</html>"));
    EXPECT_EQ(verdict.outcome, Outcome::refused);
    EXPECT_NE(verdict.reason.find("try later"), std::string::npos);
    EXPECT_EQ(judge_plain(http(status, "")).outcome, Outcome::refused);
  }
}

TEST(Judge, OtherStatusesFailWithTheFirstWordsOfTheBody) {
  for (const int status : {400, 401, 403, 404, 500, 502}) {
    const Verdict verdict = judge_plain(http(status, "no\n  entry"));
    EXPECT_EQ(verdict.outcome, Outcome::failed);
    EXPECT_EQ(verdict.reason, "HTTP " + std::to_string(status) + ": no entry");
  }
  EXPECT_EQ(
      judge_plain(http(404, R"({"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"gone"}})"))
          .reason,
      "HTTP 404: error -32601: gone");
  EXPECT_EQ(judge_plain(http(500, answer("{}"))).outcome, Outcome::failed);
}

TEST(Judge, AnEmptyAnswerFails) {
  EXPECT_EQ(judge_plain(http(202, "")).outcome, Outcome::failed);
  EXPECT_EQ(judge_plain(http(200, "")).reason, "HTTP 200 without an answer");
  EXPECT_EQ(judge_plain(http(0, "")).outcome, Outcome::failed);
}

TEST(Judge, AWrongIdIsAnAnswerToAnotherRequest) {
  for (const char* id : {"8", "\"7\"", "70"}) {
    const std::string text = R"({"jsonrpc":"2.0","result":{"id":7},"id":)" + std::string(id) + "}";
    const Verdict verdict = judge_plain(http(200, text));
    EXPECT_EQ(verdict.outcome, Outcome::failed);
    EXPECT_TRUE(verdict.reason.starts_with("answer to another request")) << verdict.reason;
  }
  EXPECT_TRUE(judge_plain(http(200, R"({"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}})"))
                  .reason.starts_with("answer to another request"));
}

TEST(Judge, AnErrorFailsWithCodeAndMessage) {
  EXPECT_EQ(
      judge_plain(http(200, R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"bad"}})"))
          .reason,
      "error -32602: bad");
  EXPECT_EQ(
      judge_plain(
          http(200, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}})"))
          .reason,
      "error -32700: parse");
}

TEST(Judge, MalformedTruncatedAndForeignMessagesFail) {
  for (const char* text :
       {"hello", R"({"jsonrpc":"2.0","id":7,"result":{"a":)", "[]",
        R"({"jsonrpc":"2.0","id":7,"method":"ping"})", R"({"jsonrpc":"2.0","method":"x"})"}) {
    const Verdict verdict = judge_plain(http(200, text));
    EXPECT_EQ(verdict.outcome, Outcome::failed) << text;
    EXPECT_FALSE(verdict.reason.empty());
  }
}

TEST(Judge, IsErrorIsLookedForOnlyOnToolCalls) {
  const std::string text =
      answer(R"({"content":[{"type":"text","text":"no luck"}],"isError":true})");
  EXPECT_EQ(judge_plain(tool_call(text)).outcome, Outcome::failed);
  EXPECT_EQ(judge_plain(tool_call(text)).reason, "isError: no luck");
  EXPECT_EQ(judge_plain(http(200, text)).outcome, Outcome::served);
}

TEST(Judge, OnlyTheResultsOwnIsErrorCounts) {
  for (const char* result :
       {R"({"content":[],"isError":false})", R"({"structuredContent":{"isError":true}})",
        R"({"content":[{"type":"text","text":"\"isError\":true"}]})"})
    EXPECT_EQ(judge_plain(tool_call(answer(result))).outcome, Outcome::served) << result;
}

TEST(Judge, FindsIsErrorAtEitherEndOfALongResult) {
  const std::string content = R"("content":[)" + long_text(200'000) + "]";
  const std::string first = answer(R"({"isError":true,)" + content + "}");
  const std::string last =
      R"({"result":{)" + content + R"(,"isError":true,"_meta":{"a":[1]}},"jsonrpc":"2.0","id":7})";
  for (const std::string& text : {first, last}) {
    const Verdict verdict = judge_plain(tool_call(text));
    EXPECT_EQ(verdict.outcome, Outcome::failed);
    EXPECT_TRUE(verdict.reason.starts_with("isError: xxx"));
    EXPECT_LE(verdict.reason.size(), 300U);
  }
  EXPECT_EQ(judge_plain(tool_call(answer("{" + content + R"(,"isError":false})"))).outcome,
            Outcome::served);
}

TEST(Judge, FindsIsErrorBetweenTwoLongMembers) {
  const std::string text =
      answer(R"({"content":[)" + long_text(50'000) +
             R"(],"isError":true,"structuredContent":{"a":)" + long_text(50'000) + "}}");
  EXPECT_EQ(judge_plain(tool_call(text)).outcome, Outcome::failed);
}

TEST(Judge, AResultThatWantsMoreRoundsIsNotServed) {
  EXPECT_EQ(judge_plain(tool_call(answer(R"({"resultType":"input_required","requestState":"s"})")))
                .outcome,
            Outcome::failed);
  EXPECT_EQ(judge_plain(tool_call(answer(R"({"resultType":"complete","content":[]})"))).outcome,
            Outcome::served);
}

TEST(Judge, RefusalRulesMatchOnlyWhenEveryPartDoes) {
  const std::string busy = answer(
      R"({"content":[{"type":"image"},{"type":"text","text":"Rate limit: wait"}],"isError":true})");
  RefusalRule rule;
  rule.is_error = true;
  rule.text_prefix = "Rate limit";
  EXPECT_EQ(judge(tool_call(busy), {}, {rule}).outcome, Outcome::refused);
  EXPECT_EQ(judge(tool_call(busy), {}, {rule}).reason, "Rate limit: wait");
  rule.text_prefix = "Quota";
  EXPECT_EQ(judge(tool_call(busy), {}, {rule}).outcome, Outcome::failed);
}

TEST(Judge, RefusalRulesMayNameCodeStatusAndMessage) {
  const std::string text =
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-32050,"message":"busy now"}})";
  RefusalRule by_code;
  by_code.code = -32050;
  EXPECT_EQ(judge(http(200, text), {}, {by_code}).outcome, Outcome::refused);
  by_code.http_status = 420;
  EXPECT_EQ(judge(http(200, text), {}, {by_code}).outcome, Outcome::failed);
  EXPECT_EQ(judge(http(420, text), {}, {by_code}).outcome, Outcome::refused);
  RefusalRule by_text;
  by_text.text_prefix = "busy";
  EXPECT_EQ(judge(http(200, text), {}, {by_code, by_text}).outcome, Outcome::refused);
  EXPECT_EQ(judge(http(200, answer("{}")), {}, {by_code, by_text}).outcome, Outcome::served);
}

TEST(Judge, ExpectationsAreCheckedOnServedRepliesOnly) {
  const std::string text = answer(R"({"content":[{"type":"text","text":"an issue"}]})");
  Expectation expectation;
  expectation.contains = "issue";
  expectation.min_bytes = text.size();
  expectation.max_bytes = text.size();
  EXPECT_EQ(judge(tool_call(text), expectation, {}).outcome, Outcome::served);
  expectation.contains = "merge request";
  EXPECT_EQ(judge(tool_call(text), expectation, {}).outcome, Outcome::failed);
  expectation.contains.clear();
  expectation.max_bytes = text.size() - 1;
  EXPECT_EQ(judge(tool_call(text), expectation, {}).outcome, Outcome::failed);
  expectation.max_bytes.reset();
  expectation.min_bytes = text.size() + 1;
  EXPECT_EQ(judge(tool_call(text), expectation, {}).outcome, Outcome::failed);
}

TEST(Judge, ARefusalKeepsWhenToComeBack) {
  ReplyFacts facts = http(429, R"({"error":"Too many requests"})");
  facts.retry_after = "37";
  const Verdict verdict = judge(facts, {}, {});
  EXPECT_EQ(verdict.outcome, Outcome::refused);
  EXPECT_EQ(verdict.reason, R"(HTTP 429 (Retry-After: 37): {"error":"Too many requests"})");
  facts = http(503, "");
  EXPECT_EQ(judge(facts, {}, {}).outcome, Outcome::refused);
  EXPECT_EQ(judge(facts, {}, {}).reason, "HTTP 503");
}

// Captured from Express, Go's SDK, TypeScript's SDK (with a null id and without one), a gateway.
TEST(Judge, ReadsErrorBodiesOfAnyType) {
  const auto reason = [](int status, std::string_view body) {
    const Verdict verdict = judge(http(status, body), {}, {});
    EXPECT_EQ(verdict.outcome, Outcome::failed);
    EXPECT_LE(verdict.reason.size(), 300U);
    return verdict.reason;
  };
  EXPECT_EQ(reason(404,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>Error</title>\n"
                   "</head>\n<body>\n<pre>Cannot POST /sse</pre>\n</body>\n</html>\n"),
            "HTTP 404: Error Cannot POST /sse");
  EXPECT_EQ(reason(400, "Bad Request: missing required header\n"),
            "HTTP 400: Bad Request: missing required header");
  EXPECT_EQ(reason(400, R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server )"
                        R"(not initialized"},"id":null})"),
            "HTTP 400: error -32000: Bad Request: Server not initialized");
  EXPECT_EQ(reason(406, R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable"}})"),
            "HTTP 406: error -32000: Not Acceptable");
  EXPECT_EQ(reason(413, R"({"message":"request entity too large"})"),
            R"(HTTP 413: {"message":"request entity too large"})");
  EXPECT_EQ(reason(502, std::string(5000, '\xff')).substr(0, 12), "HTTP 502: \xef\xbf");
  EXPECT_EQ(reason(200, "<html><body>Please sign in</body></html>").substr(0, 9), "malformed");
}

TEST(Judge, SaysWhatInputAnIncompleteAnswerWants) {
  const std::string text = answer(
      R"({"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create"}}})");
  const Verdict verdict = judge(tool_call(text), {}, {});
  EXPECT_EQ(verdict.outcome, Outcome::failed);
  EXPECT_EQ(verdict.reason,
            R"(incomplete: resultType "input_required", it wants elicitation/create for "who")");
}

TEST(Judge, AnExactTextIsTheFirstOfTheContent) {
  Expectation expectation;
  expectation.equals = "an \"issue\"";
  EXPECT_EQ(judge(tool_call(answer(R"({"content":[{"type":"text","text":"an \"issue\""}]})")),
                  expectation, {})
                .outcome,
            Outcome::served);
  EXPECT_EQ(judge(tool_call(answer(R"({"content":[{"type":"text","text":"an issue"}]})")),
                  expectation, {})
                .outcome,
            Outcome::failed);
  expectation.equals = "";
  EXPECT_EQ(judge(tool_call(answer(R"({"content":[]})")), expectation, {}).outcome,
            Outcome::served);
}

TEST(Judge, APointerLeadsIntoTheResult) {
  const std::string text = answer(R"({"a/b":{"items":[1,{"x": "y"}]},"n":2.50})");
  const auto verdict = [&](std::string pointer, std::string value,
                           std::optional<std::uint64_t> count) {
    Expectation expectation;
    expectation.pointer = std::move(pointer);
    expectation.value = std::move(value);
    expectation.count = count;
    return judge(tool_call(text), expectation, {});
  };
  EXPECT_EQ(verdict("/a~1b/items", "", std::nullopt).outcome, Outcome::served);
  EXPECT_EQ(verdict("/a~1b/items", "", 2).outcome, Outcome::served);
  EXPECT_EQ(verdict("/a~1b/items/1", R"({ "x":"y" })", std::nullopt).outcome, Outcome::served);
  EXPECT_EQ(verdict("/n", "2.5", std::nullopt).outcome, Outcome::served);
  EXPECT_EQ(verdict("/a~1b/items", "", 3).reason, "2 elements at \"/a~1b/items\", expected 3");
  EXPECT_EQ(verdict("/missing", "", std::nullopt).reason,
            "nothing stands at \"/missing\" of its result");
  EXPECT_EQ(verdict("/n", "", 1).reason, "what stands at \"/n\" has no elements to count");
  EXPECT_EQ(verdict("/n", "3", std::nullopt).reason, "2.5 at \"/n\", expected 3");
}

TEST(Judge, EveryOutcomeHasItsWord) {
  EXPECT_EQ(to_string(Outcome::served), "served");
  EXPECT_EQ(to_string(Outcome::refused), "refused");
  EXPECT_EQ(to_string(Outcome::failed), "failed");
  EXPECT_EQ(to_string(Outcome::hung), "hung");
}

}  // namespace
}  // namespace weighbridge::protocol

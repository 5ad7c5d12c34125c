#include "reference/service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

#include "os/real_clock.h"
#include "reference/intake.h"
#include "support.h"
#include "transport/http_server.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;
using testing::text_of;
using transport::HttpReply;
using transport::HttpRequest;

/// A service with a GitLab of three answers behind it, asked as stdio would.
class ServiceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto poller = os::Poller::create();
    ASSERT_TRUE(poller);
    poller_ = std::move(*poller);
    auto server = transport::HttpServer::listen(
        *poller_, {}, [this](HttpRequest&& request, std::shared_ptr<HttpReply> reply) {
          requests_.push_back(std::move(request));
          if (holding_) return held_.push_back(std::move(reply));
          answer(requests_.back(), *reply);
        });
    ASSERT_TRUE(server);
    upstream_ = std::move(*server);
    options_.upstream = {
        .scheme = "http", .host = "127.0.0.1", .port = upstream_->port(), .target = "/"};
    options_.own_credential = {Credential::Kind::private_token, "own-token"};
  }

  static void answer(const HttpRequest& request, HttpReply& reply) {
    if (request.path() == "/api/v4/version")
      return reply.send(200, {}, std::string(R"({"version":"17.0.0","revision":"abc"})"));
    if (request.path().contains("missing"))
      return reply.send(404, {}, std::string(R"({"message":"404 Project Not Found"})"));
    reply.send(200, {{"X-Total", "1"}}, std::string(R"([{"iid":1}])"));
  }

  /// Sends one message and waits for its answer.
  json ask(const std::string& message) {
    std::optional<Handled> handled;
    send(message, [&](Handled now) { handled = std::move(now); });
    poller_->run_until([&] { return handled.has_value(); }, os::now() + 20s);
    EXPECT_TRUE(handled) << message;
    if (!handled || !handled->answered) return nullptr;
    return json::parse(text_of(handled->body));
  }
  json call(std::string_view tool, std::string_view arguments = "{}") {
    return ask(fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                           R"("params":{{"name":"{}","arguments":{}}}}})",
                           tool, arguments));
  }
  json request(std::string_view method, std::string_view params = "{}") {
    return ask(
        fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{}}})", method, params));
  }
  void send(const std::string& message, Intake::Done done) {
    if (!service_) {
      service_ = std::make_unique<Service>(*poller_, options_, transport::Way{}, stats_);
      intake_ = std::make_unique<Intake>(*service_);
    }
    const Intake::Context context{
        .headers = nullptr,
        .asker = {.credential = &credential_, .caller = {}, .conversation = conversation_},
        .on_initialize = [this](const auto& opened) { conversation_ = opened; },
        .on_pending = [this](const std::string& /*id*/,
                             Service::Ticket ticket) { tickets_.push_back(ticket); },
        .on_cancelled = {},
    };
    intake_->take(message, context, std::move(done));
  }
  json stats() { return json::parse(stats_.render({})); }

  std::unique_ptr<os::Poller> poller_;
  std::vector<HttpRequest> requests_;
  bool holding_ = false;
  std::vector<std::shared_ptr<HttpReply>> held_;
  std::unique_ptr<transport::HttpServer> upstream_;
  Options options_;
  Stats stats_{os::now()};
  Credential credential_{Credential::Kind::private_token, "caller-token"};
  void negotiate(protocol::Revision revision) {
    conversation_ = std::make_shared<Conversation>(Conversation{.era = &protocol::era(revision)});
  }
  std::shared_ptr<Conversation> conversation_;
  std::vector<Service::Ticket> tickets_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Intake> intake_;
};

TEST_F(ServiceTest, AgreesOnAVersionOnce) {
  const auto first = request("initialize", R"({"protocolVersion":"2025-06-18"})");
  EXPECT_EQ(first["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(conversation_->era->name, "2025-06-18");
  EXPECT_EQ(request("initialize")["error"]["code"], -32600);
}

TEST_F(ServiceTest, AnswersAPingWithNothing) {
  EXPECT_EQ(request("ping")["result"], json::object());
}

TEST_F(ServiceTest, TakesNotificationsAndResponsesWithoutAWord) {
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), nullptr);
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":5,"result":{}})"), nullptr);
  EXPECT_EQ(stats()["notifications"], 1);
  EXPECT_EQ(stats()["responses"], 1);
}

TEST_F(ServiceTest, SaysWhatIsWrongWithWhatItCannotRead) {
  EXPECT_EQ(ask("{")["error"]["code"], -32700);
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1})")["error"]["code"], -32600);
  EXPECT_EQ(request("prompts/list")["error"]["code"], -32601);
  EXPECT_EQ(call("gitlab_nothing")["error"]["code"], -32602);
  EXPECT_EQ(stats()["requests"]["by_method"]["(transport)"]["refused"], 2);
}

TEST_F(ServiceTest, AnswersABatchWhereBatchesBelong) {
  negotiate(protocol::Revision::v2025_03_26);
  const auto all = ask(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},)"
                       R"({"jsonrpc":"2.0","method":"notifications/x"},)"
                       R"({"jsonrpc":"2.0","id":2,"method":"tools/call",)"
                       R"("params":{"name":"gitlab_server_status"}},)"
                       R"({"jsonrpc":"2.0","id":3,"method":"initialize"}])");
  ASSERT_EQ(all.size(), 3U);
  std::map<int, json> by_id;
  for (const auto& one : all) by_id[one["id"]] = one;
  EXPECT_TRUE(by_id[1].contains("result"));
  EXPECT_TRUE(by_id[2].contains("result"));
  EXPECT_EQ(by_id[3]["error"]["code"], -32600);
}

TEST_F(ServiceTest, RefusesABatchElsewhere) {
  negotiate(protocol::Revision::v2025_06_18);
  EXPECT_EQ(ask(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])")["error"]["code"], -32600);
}

TEST_F(ServiceTest, ListsTheSameBytesForEveryone) {
  const auto first = request("tools/list");
  EXPECT_EQ(first["result"]["tools"].size(), 4U);
  EXPECT_EQ(first, request("tools/list"));
}

TEST_F(ServiceTest, ListsInPagesWhenAskedTo) {
  options_.page_size = 3;
  const auto first = request("tools/list")["result"];
  EXPECT_EQ(first["tools"].size(), 3U);
  const auto second = request(
      "tools/list", json{{"cursor", first["nextCursor"].get<std::string>()}}.dump())["result"];
  EXPECT_EQ(second["tools"].size(), 1U);
  EXPECT_FALSE(second.contains("nextCursor"));
  for (const auto* cursor : {"tools-from-page-2", "tools-from-page-", "", "x"})
    EXPECT_EQ(request("tools/list", json{{"cursor", cursor}}.dump())["error"]["code"], -32602)
        << cursor;
}

TEST_F(ServiceTest, OffersTextsToReadInBothEras) {
  const auto list = request("resources/list")["result"]["resources"];
  ASSERT_EQ(list.size(), 3U);
  for (const auto& entry : list) {
    const auto read = request("resources/read", json{{"uri", entry["uri"]}}.dump())["result"];
    EXPECT_EQ(read["contents"][0]["uri"], entry["uri"]);
    EXPECT_EQ(read["contents"][0]["mimeType"], entry["mimeType"]);
    EXPECT_GT(read["contents"][0]["text"].get<std::string>().size(), 100U);
  }
  EXPECT_EQ(request("resources/read", R"({"uri":"gitlab://x"})")["error"]["code"], -32002);
  const auto modern =
      request("resources/read", R"({"uri":"gitlab://x","_meta":{)"
                                R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                R"("io.modelcontextprotocol/clientCapabilities":{}}})");
  EXPECT_EQ(modern["error"]["code"], -32602);
  EXPECT_TRUE(request("resources/templates/list")["result"]["resourceTemplates"].empty());
}

TEST_F(ServiceTest, CarriesOutAnActionWithTheCallersOwnCredential) {
  const auto result =
      call("gitlab_execute_action",
           R"({"action":"issues.list","params":{"id":"a/b","state":"opened"}})")["result"];
  EXPECT_EQ(result["structuredContent"]["data"][0]["iid"], 1);
  EXPECT_EQ(result["structuredContent"]["pagination"]["total"], 1);
  EXPECT_FALSE(result.contains("isError"));
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_[0].method, "GET");
  EXPECT_EQ(requests_[0].target, "/api/v4/projects/a%2Fb/issues?state=opened");
  EXPECT_EQ(transport::find_header(requests_[0].headers, "PRIVATE-TOKEN"), "caller-token");
}

TEST_F(ServiceTest, PassesABearerTokenOnAsOne) {
  credential_ = {Credential::Kind::bearer, "b"};
  call("gitlab_server_status");
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(transport::find_header(requests_[0].headers, "Authorization"), "Bearer b");
  EXPECT_EQ(transport::find_header(requests_[0].headers, "PRIVATE-TOKEN"), std::nullopt);
}

TEST_F(ServiceTest, UsesItsOwnCredentialForACallerWithoutOne) {
  credential_ = {};
  call("gitlab_server_status");
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(transport::find_header(requests_[0].headers, "PRIVATE-TOKEN"), "own-token");
}

TEST_F(ServiceTest, FindsTheInstanceBelowAPathOfItsHost) {
  options_.upstream.target = "/gitlab/";
  call("gitlab_server_status");
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_[0].target, "/gitlab/api/v4/version");
}

TEST_F(ServiceTest, SendsABodyWhereTheOperationWantsOne) {
  call("gitlab_execute_action", R"({"action":"issue.create","params":{"id":1,"title":"T"}})");
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_[0].method, "POST");
  EXPECT_EQ(requests_[0].body, R"({"title":"T"})");
  EXPECT_EQ(transport::find_header(requests_[0].headers, "Content-Type"), "application/json");
}

TEST_F(ServiceTest, MarksGitLabsRefusalAsAnError) {
  const auto result = call("gitlab_execute_action",
                           R"({"action":"project.get","params":{"id":"missing"}})")["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["structuredContent"]["status"], 404);
  EXPECT_EQ(stats()["requests"]["by_method"]["tools/call"]["is_error"], 1);
  EXPECT_EQ(stats()["upstream"]["errors"], 1);
}

TEST_F(ServiceTest, MarksAWrongArgumentAsAnErrorWithoutAskingGitLab) {
  const auto result =
      call("gitlab_execute_action", R"({"action":"project.get","params":{}})")["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["content"][0]["text"], "the required parameter id is missing");
  EXPECT_TRUE(requests_.empty());
}

TEST_F(ServiceTest, ReportsWhatItIsAndWhatGitLabIs) {
  const auto status = call("gitlab_server_status")["result"]["structuredContent"];
  EXPECT_EQ(status["server"]["surface"], "dynamic");
  EXPECT_EQ(status["gitlab"]["reachable"], true);
  EXPECT_EQ(status["gitlab"]["version"], "17.0.0");
  EXPECT_EQ(status["gitlab"]["revision"], "abc");
}

TEST_F(ServiceTest, ReportsAGitLabThatIsDown) {
  upstream_.reset();
  const auto status = call("gitlab_server_status")["result"];
  EXPECT_FALSE(status.contains("isError"));
  EXPECT_EQ(status["structuredContent"]["gitlab"]["reachable"], false);
  EXPECT_TRUE(status["structuredContent"]["gitlab"].contains("problem"));
  const auto result = call("gitlab_execute_action", R"({"action":"version.get"})")["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(stats()["upstream"]["failures"], 2);
}

TEST_F(ServiceTest, GivesUpOnAGitLabThatDoesNotAnswer) {
  holding_ = true;
  options_.upstream_timeout = 50ms;
  const auto result = call("gitlab_execute_action", R"({"action":"version.get"})")["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["content"][0]["text"],
            "GitLab could not be asked: GitLab did not answer within 50ms");
  EXPECT_EQ(stats()["upstream"]["timeouts"], 1);
}

TEST_F(ServiceTest, ForgetsACallThatItsCallerAbandons) {
  holding_ = true;
  bool answered = false;
  send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"gitlab_server_status"}})",
       [&](const Handled& /*handled*/) { answered = true; });
  poller_->run_until([&] { return !held_.empty(); }, os::now() + 10s);
  ASSERT_EQ(tickets_.size(), 1U);
  EXPECT_EQ(stats()["requests"]["in_flight"], 1);
  service_->abandon(tickets_[0]);
  EXPECT_EQ(stats()["requests"]["in_flight"], 0);
  EXPECT_EQ(stats()["requests"]["by_method"]["tools/call"]["abandoned"], 1);
  poller_->run_once(os::now() + 20ms);
  EXPECT_FALSE(answered);
}

TEST_F(ServiceTest, DelaysCallsWithoutKeepingOthersWaiting) {
  options_.weights.delay = "list:200ms,1ms";
  options_.stats_delays = true;
  std::deque<int> order;
  for (const int id : {1, 2})
    send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call",)"
                     R"("params":{{"name":"null"}}}})",
                     id),
         [&order, id](const Handled& /*handled*/) { order.push_back(id); });
  EXPECT_TRUE(order.empty());
  EXPECT_EQ(request("ping")["result"], json::object());
  poller_->run_until([&] { return order.size() == 2; }, os::now() + 10s);
  EXPECT_EQ(order, (std::deque<int>{2, 1}));
  const auto delay = stats()["weights"]["delay"];
  EXPECT_EQ(delay["count"], 2);
  EXPECT_EQ(delay["asked_ns"], 201'000'000);
  EXPECT_GE(delay["made_ns"], 201'000'000);
  EXPECT_EQ(delay["values_ns"].size(), 2U);
}

TEST_F(ServiceTest, DelaysNothingButCalls) {
  options_.weights.delay = "1h";
  EXPECT_TRUE(request("tools/list").contains("result"));
  EXPECT_TRUE(request("resources/list").contains("result"));
}

TEST_F(ServiceTest, BurnsProcessorTimeInEveryCallAndCountsIt) {
  options_.weights.call.cpu = 2ms;
  for (int i = 0; i < 3; ++i) call("null");
  request("tools/list");
  const auto cpu = stats()["weights"]["cpu"];
  EXPECT_EQ(cpu["count"], 3);
  EXPECT_GE(cpu["burnt_ns"], 6'000'000);
  EXPECT_LE(cpu["burnt_ns"], 9'000'000);
}

TEST_F(ServiceTest, BurnsProcessorTimeInEveryListingWhenThatIsTheWeight) {
  options_.weights.list_cpu = 2ms;
  call("null");
  request("tools/list");
  EXPECT_EQ(stats()["weights"]["list_cpu"]["count"], 1);
  EXPECT_GE(stats()["weights"]["list_cpu"]["burnt_ns"], 2'000'000);
}

TEST_F(ServiceTest, LetsACallNameItsOwnWeights) {
  options_.weights.call.answer_bytes = 10;
  const auto text = [&](std::string_view arguments) {
    return call("null", arguments)["result"]["content"][0]["text"].get<std::string>().size();
  };
  EXPECT_EQ(text("{}"), 10U);
  EXPECT_EQ(text(R"({"bytes":"3B","leak":"4KiB"})"), 3U);
  EXPECT_EQ(stats()["weights"]["memory"]["leak"]["bytes"], 4096);
  EXPECT_EQ(call("null", R"({"weight":"1"})")["result"]["isError"], true);
}

TEST_F(ServiceTest, ServesSoManyCallsAtOnceAndTheOthersInOrder) {
  options_.weights.concurrency = 1;
  options_.weights.delay = "10ms";
  std::deque<int> order;
  for (const int id : {1, 2, 3})
    send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call",)"
                     R"("params":{{"name":"null","arguments":{{"bytes":"{}B"}}}}}})",
                     id, id),
         [&order](const Handled& handled) {
           const auto answer = json::parse(text_of(handled.body));
           EXPECT_EQ(answer["result"]["content"][0]["text"].get<std::string>().size(),
                     answer["id"].get<std::size_t>());
           order.push_back(answer["id"]);
         });
  EXPECT_EQ(tickets_.size(), 3U);
  service_->abandon(tickets_[1]);
  const Instant begin = os::now();
  poller_->run_until([&] { return order.size() == 2; }, os::now() + 10s);
  EXPECT_EQ(order, (std::deque<int>{1, 3}));
  EXPECT_GE(os::now() - begin, 19ms);
  EXPECT_EQ(stats()["weights"]["queued"]["count"], 1);
  EXPECT_EQ(stats()["requests"]["in_flight"], 0);
}

TEST_F(ServiceTest, GivesBackWhatACallHeldBeforeItsAnswerGoes) {
  options_.weights.call.things.descriptors = 4;
  options_.weights.id_last = true;
  std::uint64_t held = 99;
  send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"null"}})",
       [&](const Handled& handled) {
         held = stats_.weights.descriptors.held;
         EXPECT_TRUE(text_of(handled.body).ends_with(R"("id":1})"));
       });
  EXPECT_EQ(held, 0U);
  EXPECT_EQ(stats_.weights.descriptors.most, 4U);
}

TEST_F(ServiceTest, HoldsMemoryOnceForEveryCredential) {
  options_.weights.credential_bytes = 50 * 1024;
  for (const auto* token : {"a", "b", "a", "b", "c"}) {
    credential_.token = token;
    request("ping");
  }
  EXPECT_EQ(stats()["weights"]["memory"]["credential"]["bytes"], 3 * 50 * 1024);
  EXPECT_EQ(stats()["credentials_seen"], 3);
}

TEST_F(ServiceTest, StandsStillAtTheStartOfEveryPeriod) {
  options_.weights.freeze = FreezePlan{.length = 30ms, .period = 100ms};
  const Instant begin = os::now();
  request("ping");
  EXPECT_GE(os::now() - begin, 30ms);
  poller_->run_until([&] { return stats_.weights.freezes.size() >= 3; }, os::now() + 10s);
  ASSERT_GE(stats_.weights.freezes.size(), 3U);
  for (const auto& freeze : stats_.weights.freezes) EXPECT_GT(freeze.length, Duration(0));
  EXPECT_GE(stats_.weights.freezes[1].after_start - stats_.weights.freezes[0].after_start, 95ms);
}

}  // namespace
}  // namespace weighbridge::reference

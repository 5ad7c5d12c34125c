#include "reference/dialogue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "os/real_clock.h"
#include "recorder.h"
#include "reference/intake.h"
#include "reference/service.h"
#include "support.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;
using testing::text_of;

/// A server with --fixtures, asked as over stdio by a client that can do everything.
class DialogueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto poller = os::Poller::create();
    ASSERT_TRUE(poller);
    poller_ = std::move(*poller);
    options_.fixtures = true;
    service_ = std::make_unique<Service>(*poller_, options_, transport::Way{}, stats_);
    intake_ = std::make_unique<Intake>(*service_);
  }

  void handshake(const std::string& capabilities = R"({"sampling":{},"elicitation":{}})") {
    send(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
         R"({"protocolVersion":"2025-11-25","capabilities":)" +
         capabilities + "}}");
    ASSERT_TRUE(conversation_);
    conversation_->tell = [this](const std::string& message) {
      news_.push_back(json::parse(message));
    };
  }
  void send(const std::string& message) {
    const Intake::Context context{
        .headers = nullptr,
        .asker = {.credential = &credential_, .caller = caller_, .conversation = conversation_},
        .on_initialize = [this](const auto& opened) { conversation_ = opened; },
        .on_pending = [this](const std::string& /*id*/,
                             Service::Ticket ticket) { tickets_.push_back(ticket); },
        .on_cancelled = {},
    };
    intake_->take(message, context, [this](const Handled& handled) {
      if (handled.answered) answers_.push_back(json::parse(text_of(handled.body)));
      status_ = handled.http_status;
    });
  }
  void request(const std::string& method, json params, const json& meta = nullptr) {
    if (!meta.is_null()) params["_meta"] = meta;
    send(json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}.dump());
  }
  void call(const std::string& tool, const json& meta = nullptr, json more = json::object()) {
    more["name"] = tool;
    request("tools/call", more, meta);
  }
  json answer() {
    poller_->run_until([&] { return !answers_.empty(); }, os::now() + 20s);
    EXPECT_FALSE(answers_.empty());
    if (answers_.empty()) return nullptr;
    const auto first = answers_.front();
    answers_.erase(answers_.begin());
    return first;
  }
  json ask(const std::string& method, const json& params, const json& meta = nullptr) {
    request(method, params, meta);
    return answer();
  }
  /// `_meta` of a stateless request.
  static json modern(const json& capabilities = {{"sampling", json::object()},
                                                 {"elicitation", json::object()},
                                                 {"roots", json::object()}}) {
    return {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
            {"io.modelcontextprotocol/clientCapabilities", capabilities}};
  }
  std::vector<std::string> told_methods() const {
    std::vector<std::string> methods;
    for (const auto& each : caller_->told) methods.push_back(each["method"]);
    return methods;
  }

  std::unique_ptr<os::Poller> poller_;
  Options options_;
  Stats stats_{os::now()};
  Credential credential_{Credential::Kind::private_token, "token"};
  std::shared_ptr<testing::Recorder> caller_ = std::make_shared<testing::Recorder>();
  std::shared_ptr<Conversation> conversation_;
  std::vector<json> news_;
  std::vector<json> answers_;
  int status_ = 0;
  std::vector<Service::Ticket> tickets_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Intake> intake_;
};

TEST_F(DialogueTest, OffersItsToolsBeforeTheOthers) {
  const auto tools = ask("tools/list", json::object(), modern())["result"]["tools"];
  EXPECT_EQ(tools.front()["name"], "test_simple_text");
  EXPECT_EQ(tools.back()["name"], "null");
}

TEST_F(DialogueTest, IsNotThereWithoutTheFlag) {
  options_.fixtures = false;
  service_ = std::make_unique<Service>(*poller_, options_, transport::Way{}, stats_);
  intake_ = std::make_unique<Intake>(*service_);
  EXPECT_EQ(ask("tools/call", {{"name", "test_simple_text"}}, modern())["error"]["code"], -32602);
  EXPECT_EQ(ask("prompts/list", json::object(), modern())["error"]["code"], -32601);
  EXPECT_EQ(ask("resources/read", {{"uri", "test://static-text"}}, modern())["error"]["code"],
            -32602);
}

TEST_F(DialogueTest, TellsProgressToWhoAskedForIt) {
  auto meta = modern();
  meta["progressToken"] = 7;
  call("test_tool_with_progress", meta);
  EXPECT_FALSE(answer()["result"].contains("isError"));
  ASSERT_EQ(caller_->told.size(), 3U);
  EXPECT_EQ(caller_->told.back()["params"],
            json::parse(R"({"progressToken":7,"progress":100,"total":100})"));
  caller_->told.clear();
  call("test_tool_with_progress", modern());
  answer();
  EXPECT_TRUE(caller_->told.empty());
}

TEST_F(DialogueTest, LogsWhatTheClientWantsToHear) {
  handshake();
  answer();
  call("test_tool_with_logging");
  answer();
  EXPECT_EQ(caller_->told.size(), 3U);
  caller_->told.clear();
  EXPECT_EQ(ask("logging/setLevel", {{"level", "error"}})["result"], json::object());
  call("test_tool_with_logging");
  answer();
  EXPECT_TRUE(caller_->told.empty());
  EXPECT_EQ(ask("logging/setLevel", {{"level", "loud"}})["error"]["code"], -32602);
}

TEST_F(DialogueTest, LogsNothingToAStatelessClientThatNamedNoLevel) {
  call("test_logging_tool", modern());
  answer();
  EXPECT_TRUE(caller_->told.empty());
  auto meta = modern();
  meta["io.modelcontextprotocol/logLevel"] = "debug";
  call("test_logging_tool", meta);
  answer();
  EXPECT_EQ(caller_->told.size(), 3U);
}

TEST_F(DialogueTest, AsksTheClientAndAnswersWithWhatItSaid) {
  handshake();
  answer();
  call("test_sampling", nullptr, {{"arguments", {{"prompt", "Say \"hi\""}}}});
  ASSERT_EQ(told_methods(), std::vector<std::string>{"sampling/createMessage"});
  const auto question = caller_->told.front();
  EXPECT_EQ(question["params"]["messages"][0]["content"]["text"], "Say \"hi\"");
  EXPECT_TRUE(answers_.empty()) << "it waits for the client";
  send(json{{"jsonrpc", "2.0"},
            {"id", question["id"]},
            {"result", {{"content", {{"type", "text"}, {"text", "hi"}}}}}}
           .dump());
  EXPECT_EQ(answer()["result"]["content"][0]["text"], "LLM response: hi");
}

TEST_F(DialogueTest, TakesNoForAnAnswer) {
  handshake();
  answer();
  call("test_elicitation", nullptr, {{"arguments", {{"message", "?"}}}});
  send(json{{"jsonrpc", "2.0"},
            {"id", caller_->told.front()["id"]},
            {"error", {{"code", -1}, {"message", "no"}}}}
           .dump());
  EXPECT_EQ(answer()["result"]["isError"], true);
}

TEST_F(DialogueTest, AsksNobodyForWhatHeDidNotDeclare) {
  handshake("{}");
  answer();
  call("test_sampling");
  EXPECT_EQ(answer()["result"]["isError"], true);
  EXPECT_TRUE(caller_->told.empty());
}

TEST_F(DialogueTest, ForgetsItsQuestionWhenTheRequestIsAbandoned) {
  handshake();
  answer();
  call("test_sampling");
  ASSERT_EQ(tickets_.size(), 1U);
  service_->abandon(tickets_.front());
  send(json{{"jsonrpc", "2.0"}, {"id", caller_->told.front()["id"]}, {"result", json::object()}}
           .dump());
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(json::parse(stats_.render({}))["responses"], 1) << "it answers nothing any more";
}

TEST_F(DialogueTest, StopsAToolThatIsNoLongerWanted) {
  auto meta = modern();
  meta["progressToken"] = "p";
  call("test_tool_with_progress", meta);
  service_->abandon(tickets_.front());
  poller_->run_until([] { return false; }, os::now() + 200ms);
  EXPECT_EQ(caller_->told.size(), 1U) << "only what was told before";
  EXPECT_TRUE(answers_.empty());
}

TEST_F(DialogueTest, LetsGoOfItsCallerAndAnswersAllTheSame) {
  handshake();
  answer();
  call("test_reconnection");
  EXPECT_EQ(caller_->let_gos, 1);
  EXPECT_TRUE(answers_.empty());
  EXPECT_TRUE(answer().contains("result"));
}

TEST_F(DialogueTest, RefusesWithTheStatusOfHttpWhereACapabilityIsMissing) {
  call("test_missing_capability", modern(json::object()));
  const auto error = answer()["error"];
  EXPECT_EQ(error["code"], -32021);
  EXPECT_TRUE(error["data"]["requiredCapabilities"]["sampling"].is_object());
  EXPECT_EQ(status_, 400);
  call("test_missing_capability", modern());
  EXPECT_TRUE(answer().contains("result"));
}

TEST_F(DialogueTest, AcknowledgesAListenerFirstAndTellsItOnlyWhatItAskedFor) {
  send(json{
      {"jsonrpc", "2.0"},
      {"id", "sub"},
      {"method", "subscriptions/listen"},
      {"params",
       {{"_meta", modern()},
        {"notifications",
         {{"promptsListChanged", true}, {"resourceSubscriptions", {"test://watched-resource"}}}}}}}
           .dump());
  call("test_trigger_tool_change", modern());
  call("test_trigger_prompt_change", modern());
  call("test_trigger_resource_update", modern());
  EXPECT_EQ(told_methods(), (std::vector<std::string>{"notifications/subscriptions/acknowledged",
                                                      "notifications/prompts/list_changed",
                                                      "notifications/resources/updated"}));
  for (const auto& each : caller_->told)
    EXPECT_EQ(each["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "sub");
  EXPECT_EQ(caller_->told.back()["params"]["uri"], "test://watched-resource");
  answers_.clear();
  service_->dialogue()->end_listening();
  const auto end = answer();
  EXPECT_EQ(end["id"], "sub");
  EXPECT_EQ(end["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "sub");
  call("test_trigger_prompt_change", modern());
  EXPECT_EQ(caller_->told.size(), 3U);
}

TEST_F(DialogueTest, ForgetsAListenerThatHasGone) {
  request("subscriptions/listen", {{"notifications", {{"toolsListChanged", true}}}}, modern());
  service_->abandon(tickets_.front());
  caller_->told.clear();
  call("test_trigger_tool_change", modern());
  EXPECT_TRUE(caller_->told.empty());
}

TEST_F(DialogueTest, TellsOfWatchedResourcesUntilTheyAreNotWatched) {
  handshake();
  answer();
  EXPECT_EQ(ask("resources/subscribe", {{"uri", "test://watched-resource"}})["result"],
            json::object());
  call("test_trigger_resource_update");
  answer();
  ASSERT_EQ(news_.size(), 1U);
  EXPECT_EQ(news_[0]["params"], json::parse(R"({"uri":"test://watched-resource"})"));
  EXPECT_EQ(
      ask("resources/read", {{"uri", "test://watched-resource"}})["result"]["contents"][0]["text"],
      "Changed 1 times.");
  ask("resources/unsubscribe", {{"uri", "test://watched-resource"}});
  call("test_trigger_resource_update");
  answer();
  EXPECT_EQ(news_.size(), 1U);
  EXPECT_EQ(ask("resources/subscribe", json::object())["error"]["code"], -32602);
}

TEST_F(DialogueTest, KeepsABoundOnWhatOneClientMayWatch) {
  handshake();
  answer();
  for (int i = 0; i < 1000; ++i) ask("resources/subscribe", {{"uri", fmt::format("test://{}", i)}});
  EXPECT_EQ(ask("resources/subscribe", {{"uri", "test://more"}})["error"]["code"], -32600);
  EXPECT_EQ(ask("resources/subscribe", {{"uri", "test://7"}})["result"], json::object());
}

TEST_F(DialogueTest, CompletesByWhatWasTyped) {
  const auto values = [&](const json& ref, const std::string& typed) {
    return ask("completion/complete",
               {{"ref", ref}, {"argument", {{"name", "arg1"}, {"value", typed}}}},
               modern())["result"]["completion"]["values"];
  };
  const json prompt{{"type", "ref/prompt"}, {"name", "test_prompt_with_arguments"}};
  EXPECT_EQ(values(prompt, "park"), json({"park"}));
  EXPECT_EQ(values(prompt, "x"), json::array());
  EXPECT_EQ(values({{"type", "ref/resource"}, {"uri", "test://template/{id}/data"}}, "1"),
            json({"123"}));
  EXPECT_EQ(ask("completion/complete", {{"ref", 7}}, modern())["error"]["code"], -32602);
}

TEST_F(DialogueTest, PutsArgumentsIntoAPrompt) {
  const auto prompt = [&](const json& params) { return ask("prompts/get", params, modern()); };
  const auto good = prompt(
      {{"name", "test_prompt_with_arguments"}, {"arguments", {{"arg1", "a\"b"}, {"arg2", "c"}}}});
  EXPECT_EQ(good["result"]["messages"][0]["content"]["text"],
            "Prompt with arguments: arg1='a\"b', arg2='c'");
  EXPECT_EQ(prompt({{"name", "test_prompt_with_arguments"}})["error"]["code"], -32602);
  EXPECT_EQ(prompt({{"name", "no such"}})["error"]["code"], -32602);
}

TEST_F(DialogueTest, FillsInATemplateWithoutBreakingItsJson) {
  const auto read = [&](const std::string& uri) {
    return ask("resources/read", {{"uri", uri}}, modern());
  };
  const auto text = read("test://template/1\"2/data")["result"]["contents"][0]["text"];
  EXPECT_EQ(json::parse(text.get<std::string>())["id"], "1\"2");
  for (const auto* uri : {"test://template//data", "test://template/data", "test://nothing"}) {
    const auto error = read(uri)["error"];
    EXPECT_EQ(error["code"], -32602) << uri;
    EXPECT_EQ(error["data"]["uri"], uri);
  }
}

}  // namespace
}  // namespace weighbridge::reference

#include "reference/questions.h"

#include <gtest/gtest.h>

#include "recorder.h"

namespace weighbridge::reference {
namespace {

class QuestionsTest : public ::testing::Test {
 protected:
  Asker asker() { return {.caller = caller_, .conversation = conversation_}; }
  bool respond(const std::string& id, const Conversation* from, std::string_view rest = "{}") {
    const auto input =
        reader_.read(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + std::string(rest) + "}");
    return questions_.take((*input)->messages.front(), from);
  }
  std::string last_id() { return caller_->told.back()["id"].dump(); }

  std::shared_ptr<testing::Recorder> caller_ = std::make_shared<testing::Recorder>();
  std::shared_ptr<Conversation> conversation_ = std::make_shared<Conversation>();
  protocol::ClientReader reader_;
  Questions questions_;
  int answers_ = 0;
};

TEST_F(QuestionsTest, AreAskedOverTheCallerAndAnsweredOnce) {
  std::string got;
  questions_.ask(asker(), "sampling/createMessage", R"({"maxTokens":1})",
                 [&](const auto& response) { got = simdjson::minify(response.result); });
  EXPECT_EQ(caller_->told.back()["method"], "sampling/createMessage");
  EXPECT_EQ(caller_->told.back()["params"]["maxTokens"], 1);
  EXPECT_TRUE(respond(last_id(), conversation_.get(), R"({"model":"m"})"));
  EXPECT_EQ(got, R"({"model":"m"})");
  EXPECT_FALSE(respond(last_id(), conversation_.get()));
}

TEST_F(QuestionsTest, AreNotAnsweredByAnotherConversation) {
  questions_.ask(asker(), "roots/list", "{}", [&](const auto&) { ++answers_; });
  const Conversation other;
  EXPECT_FALSE(respond(last_id(), &other));
  EXPECT_FALSE(respond(last_id(), nullptr));
  EXPECT_EQ(answers_, 0);
  EXPECT_TRUE(respond(last_id(), conversation_.get()));
}

TEST_F(QuestionsTest, AreNotAnsweredByIdsThatWereMadeUp) {
  questions_.ask(asker(), "roots/list", "{}", [&](const auto&) { ++answers_; });
  for (const auto* id : {"1", "\"question-\"", "\"question-2\"", "\"question-1x\"", "\"1\"",
                         "\"question-99999999999999999999\""})
    EXPECT_FALSE(respond(id, conversation_.get())) << id;
  EXPECT_EQ(answers_, 0);
}

TEST_F(QuestionsTest, CanBeWithdrawn) {
  const auto id = questions_.ask(asker(), "roots/list", "{}", [&](const auto&) { ++answers_; });
  questions_.withdraw(id);
  EXPECT_FALSE(respond(last_id(), conversation_.get()));
  EXPECT_EQ(questions_.open(), 0U);
}

}  // namespace
}  // namespace weighbridge::reference

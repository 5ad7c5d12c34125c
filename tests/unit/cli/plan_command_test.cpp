#include <gtest/gtest.h>

#include "stage.h"

namespace weighbridge::cli {
namespace {

constexpr const char* kPlan =
    "schema = 1\nname = \"notes\"\n[target.stdio]\ncommand = [\"notes\"]\n"
    "credential = { environment = \"NOTES_TOKEN\", value = \"hunter2-{credential}\" }\n";

TEST(PlanCommand, PrintsEveryDefaultAndNoSecret) {
  Stage stage;
  stage.folder.write("plan.toml", kPlan);
  EXPECT_EQ(stage.run({"plan", "plan.toml"}), ExitCode::done);
  EXPECT_NE(stage.out.str().find("rounds = 3"), std::string::npos);
  EXPECT_EQ(stage.out.str().find("hunter2"), std::string::npos);
}

TEST(PlanCommand, CheckSaysWhatThePlanAsksFor) {
  Stage stage;
  stage.folder.write("plan.toml", kPlan);
  EXPECT_EQ(stage.run({"plan", "--check", "plan.toml"}), ExitCode::done);
  EXPECT_EQ(
      stage.out.str(),
      "plan.toml is sound. It asks for 2 scenarios, 3 times each: stdio-small, stdio-large\n");
}

TEST(PlanCommand, RefusesAPlanWithAnUnknownKey) {
  Stage stage;
  stage.folder.write("plan.toml", std::string(kPlan) + "[run]\nroudns = 2\n");
  EXPECT_EQ(stage.run({"plan", "--check", "plan.toml"}), ExitCode::wrong_words);
  EXPECT_NE(stage.err.str().find("rounds"), std::string::npos);
  EXPECT_EQ(stage.out.str(), "");
}

TEST(PlanCommand, PrintsAServerOfAClientsFileWithoutItsSecrets) {
  Stage stage;
  stage.folder.write("mcp.json", R"({
    "inputs": [ { "type": "promptString", "id": "pin", "password": true } ],
    "servers": { "notes": { "command": "notes", "args": ["${input:pin}"],
                            "env": { "NOTES_TOKEN": "hunter2" } } } })");
  EXPECT_EQ(stage.run({"plan", "--config", "mcp.json", "--input", "pin=correct-horse"}),
            ExitCode::done);
  EXPECT_NE(stage.out.str().find("name = \"notes\""), std::string::npos);
  EXPECT_NE(stage.out.str().find("NOTES_TOKEN"), std::string::npos);
  EXPECT_EQ(stage.out.str().find("hunter2"), std::string::npos);
  EXPECT_EQ(stage.out.str().find("correct-horse"), std::string::npos);
}

TEST(PlanCommand, NeedsExactlyOneThingToPrint) {
  Stage stage;
  EXPECT_EQ(stage.run({"plan"}), ExitCode::wrong_words);
  EXPECT_EQ(stage.run({"plan", "a.toml", "--config", "mcp.json"}), ExitCode::wrong_words);
  EXPECT_EQ(stage.run({"plan", "--server", "notes"}), ExitCode::wrong_words);
}

TEST(PlanCommand, RefusesAPlanThatIsNotThere) {
  Stage stage;
  EXPECT_EQ(stage.run({"plan", "nowhere.toml"}), ExitCode::wrong_words);
}

}  // namespace
}  // namespace weighbridge::cli

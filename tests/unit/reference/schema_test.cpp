#include "reference/schema.h"

#include <gtest/gtest.h>

#include "support.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;
using testing::catalogue;
using testing::operation;

json input(std::string_view id) {
  std::string out;
  SchemaWriter(catalogue()).append_input(out, operation(id), SchemaWriter::Dialect::implied);
  return json::parse(out);
}
json output(std::string_view id) {
  std::string out;
  SchemaWriter(catalogue()).append_output(out, operation(id));
  return json::parse(out);
}

TEST(NameStep, WalksDownANestedName) {
  EXPECT_EQ(name_step("state", 0), "state");
  EXPECT_EQ(name_step("state", 1), "");
  EXPECT_EQ(name_step("a[b][c]", 0), "a");
  EXPECT_EQ(name_step("a[b][c]", 1), "b");
  EXPECT_EQ(name_step("a[b][c]", 2), "c");
  EXPECT_EQ(name_step("a[b][c]", 3), "");
}

TEST(InputSchema, HasEveryParameterWithTypeAndSentence) {
  const auto schema = input("issues.list");
  const auto& properties = schema["properties"];
  EXPECT_EQ(schema["type"], "object");
  EXPECT_EQ(schema["required"], json::array({"id"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(properties["id"]["type"], json::array({"string", "integer"}));
  EXPECT_EQ(properties["state"]["enum"], json::array({"opened", "closed", "all"}));
  EXPECT_EQ(properties["iids"]["items"]["type"], "integer");
  EXPECT_EQ(properties["per_page"]["maximum"], 100);
  EXPECT_EQ(properties["confidential"]["type"], "boolean");
  for (const auto& [name, property] : properties.items())
    EXPECT_TRUE(property.contains("description")) << name;
}

TEST(InputSchema, NestsWhatGitLabWritesInBrackets) {
  const auto schema = input("issues.list");
  EXPECT_EQ(schema["properties"]["not"]["properties"]["labels"]["type"], "array");
  const auto deep = input("project_import.start");
  EXPECT_EQ(deep["properties"]["override_params"]["properties"]
                ["container_expiration_policy_attributes"]["properties"]["keep_n"]["type"],
            "integer");
}

TEST(InputSchema, WritesNumbersOfAChoiceAsNumbers) {
  EXPECT_EQ(input("groups.list")["properties"]["min_access_level"]["enum"],
            json::array({10, 15, 20, 30, 40, 50}));
}

TEST(InputSchema, KeepsAnEmptyChoice) {
  const auto choices = input("issues.list")["properties"]["due_date"]["enum"];
  EXPECT_EQ(choices.front(), "0");
  EXPECT_EQ(choices.back(), "");
}

TEST(InputSchema, DescribesAFileAsAnObject) {
  const auto file = input("group_import.start")["properties"]["file"];
  EXPECT_EQ(file["type"], "object");
  EXPECT_EQ(file["required"], json::array({"filename", "content"}));
}

TEST(OutputSchema, DescribesRecordsListsAndContent) {
  const auto list = output("issues.list");
  EXPECT_EQ(list["properties"]["data"]["type"], "array");
  EXPECT_EQ(list["properties"]["data"]["items"]["properties"]["iid"]["type"],
            json::array({"integer", "null"}));
  EXPECT_TRUE(list["properties"].contains("pagination"));
  const auto record = output("issue.get");
  EXPECT_TRUE(record["properties"]["data"]["properties"].contains("web_url"));
  EXPECT_FALSE(record["properties"].contains("pagination"));
  EXPECT_TRUE(output("job.trace")["properties"].contains("base64"));
  EXPECT_FALSE(output("issue.delete")["properties"].contains("data"));
  EXPECT_EQ(record["required"], json::array({"status"}));
}

TEST(OutputSchema, DescribesRecordsWithinRecordsOneDeep) {
  const auto issue = output("issue.get")["properties"]["data"]["properties"];
  EXPECT_EQ(issue["milestone"]["type"], json::array({"object", "null"}));
  EXPECT_TRUE(issue["milestone"]["properties"].contains("due_date"));
  EXPECT_TRUE(issue["assignees"]["items"]["properties"].contains("username"));
}

TEST(OutputSchema, KnowsEveryFieldItNames) {
  for (const auto& resource : catalogue().resources()) {
    const std::string fields(resource.fields);
    for (std::istringstream words(fields); words.good();) {
      std::string field;
      words >> field;
      EXPECT_TRUE(field.empty() || catalogue().words().find(Words::Kind::field, field) != nullptr ||
                  catalogue().words().find_in(Words::Kind::field, field, resource.name) != nullptr)
          << resource.name << ' ' << field;
    }
  }
}

}  // namespace
}  // namespace weighbridge::reference

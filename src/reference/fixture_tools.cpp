// Tools of --fixtures, in the words of the conformance suite.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "os/real_clock.h"
#include "protocol/server_json.h"
#include "reference/fixtures.h"
#include "reference/input_rounds.h"

namespace weighbridge::reference {
namespace {

using protocol::ClientMessage;
using protocol::LogLevel;

/// Between the steps of a tool that takes its time.
constexpr Duration kStep = 50ms;
/// Longer than a client needs to see that its stream has ended.
constexpr Duration kAway = 100ms;

constexpr std::string_view kSilence =
    "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

using Run = void (*)(FixtureStage&, const ExchangePtr&, const ClientMessage&);

struct FixtureTool {
  std::string_view name;
  std::string_view description;
  std::string_view schema;
  Run run;
};

constexpr std::string_view kNothing = R"({"type":"object","properties":{}})";
constexpr std::string_view kPromptSchema =
    R"({"type":"object","properties":{"prompt":{"type":"string","description":"What to ask the model."}},"required":["prompt"]})";
constexpr std::string_view kMessageSchema =
    R"({"type":"object","properties":{"message":{"type":"string","description":"What to ask the user."}},"required":["message"]})";
constexpr std::string_view kRegionSchema =
    R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"count":{"type":"integer","x-mcp-header":"Count"}},"required":["region"]})";
constexpr std::string_view kDialectSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false})";

constexpr std::string_view kDefaultsQuestion =
    R"({"message":"Please check these values","requestedSchema":{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}},"required":[]}})";
constexpr std::string_view kEnumsQuestion =
    R"({"message":"Please choose","requestedSchema":{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]}})";

/// Runs `then` later, unless the answer is no longer wanted by then.
template <typename Then>
void later(FixtureStage& stage, const ExchangePtr& exchange, Duration delay, Then then) {
  stage.poller.at(os::now() + delay, [weak = std::weak_ptr(exchange), then] {
    if (const auto waiting = weak.lock()) then(*waiting);
  });
}

std::string text_argument(const ClientMessage& message, std::string_view name) {
  simdjson::dom::object arguments;
  std::string_view text;
  if (message.params["arguments"].get(arguments) == simdjson::SUCCESS &&
      arguments[name].get(text) != simdjson::SUCCESS)
    text = {};
  return std::string(text);
}

template <const std::string_view& kMembers>
void answer_with(FixtureStage& /*stage*/, const ExchangePtr& exchange,
                 const ClientMessage& /*message*/) {
  exchange->finish({.members = std::string(kMembers)});
}

constexpr std::string_view kSimpleText =
    R"("content":[{"type":"text","text":"This is a simple text response for testing."}])";
constexpr std::string_view kEmbedded =
    R"("content":[{"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}])";

void answer_image(FixtureStage& /*stage*/, const ExchangePtr& exchange,
                  const ClientMessage& /*message*/) {
  exchange->finish(
      {.members = fmt::format(
           R"("content":[{{"type":"image","data":"{}","mimeType":"image/png"}}])", kFixtureImage)});
}

void answer_audio(FixtureStage& /*stage*/, const ExchangePtr& exchange,
                  const ClientMessage& /*message*/) {
  exchange->finish(
      {.members = fmt::format(
           R"("content":[{{"type":"audio","data":"{}","mimeType":"audio/wav"}}])", kSilence)});
}

void answer_mixed(FixtureStage& /*stage*/, const ExchangePtr& exchange,
                  const ClientMessage& /*message*/) {
  exchange->finish(
      {.members = fmt::format(
           R"("content":[{{"type":"text","text":"Multiple content types test:"}},)"
           R"({{"type":"image","data":"{}","mimeType":"image/png"}},{{"type":"resource","resource":)"
           R"({{"uri":"test://mixed-content-resource","mimeType":"application/json",)"
           R"("text":"{{\"test\":\"data\",\"value\":123}}"}}}}])",
           kFixtureImage)});
}

void fail_always(FixtureStage& /*stage*/, const ExchangePtr& exchange,
                 const ClientMessage& /*message*/) {
  exchange->finish(text_answer("This tool intentionally returns an error for testing", true));
}

void log_three(FixtureStage& stage, const ExchangePtr& exchange, const ClientMessage& /*message*/) {
  exchange->log(LogLevel::info, "Tool execution started");
  later(stage, exchange, kStep,
        [](Exchange& now) { now.log(LogLevel::info, "Tool processing data"); });
  later(stage, exchange, 2 * kStep, [](Exchange& now) {
    now.log(LogLevel::info, "Tool execution completed");
    now.finish(text_answer("Three messages were logged, for whoever wants that level."));
  });
}

void report_progress(FixtureStage& stage, const ExchangePtr& exchange,
                     const ClientMessage& /*message*/) {
  exchange->progress(0, 100);
  later(stage, exchange, kStep, [](Exchange& now) { now.progress(50, 100); });
  later(stage, exchange, 2 * kStep, [](Exchange& now) {
    now.progress(100, 100);
    now.finish(text_answer("Done in three steps."));
  });
}

void come_back_for_it(FixtureStage& stage, const ExchangePtr& exchange,
                      const ClientMessage& /*message*/) {
  if (exchange->caller) exchange->caller->let_go();
  later(stage, exchange, kAway,
        [](Exchange& now) { now.finish(text_answer("Reconnection test completed.")); });
}

void sample(FixtureStage& stage, const ExchangePtr& exchange, const ClientMessage& message) {
  std::string params = R"({"messages":[{"role":"user","content":{"type":"text","text":)";
  protocol::append_quoted(params, text_argument(message, "prompt"));
  params += R"(}}],"maxTokens":100})";
  ask_client(stage, exchange, message,
             {.key = "answer",
              .method = "sampling/createMessage",
              .ability = "sampling",
              .params = params},
             [](const Exchange& now, simdjson::dom::element result) {
               std::string_view text = "(no text)";
               if (result["content"]["text"].get(text) != simdjson::SUCCESS) text = "(no text)";
               now.finish(text_answer(fmt::format("LLM response: {}", text)));
             });
}

void elicit_and_tell(FixtureStage& stage, const ExchangePtr& exchange, const ClientMessage& message,
                     std::string_view params, std::string_view heading) {
  ask_client(
      stage, exchange, message,
      {.key = "answer", .method = "elicitation/create", .ability = "elicitation", .params = params},
      [heading](const Exchange& now, simdjson::dom::element result) {
        std::string_view action;
        if (result["action"].get(action) != simdjson::SUCCESS) action = "none";
        simdjson::dom::element content;
        const bool has = result["content"].get(content) == simdjson::SUCCESS;
        now.finish(text_answer(fmt::format("{}: action={}, content={}", heading, action,
                                           has ? std::string(simdjson::minify(content)) : "{}")));
      });
}

void elicit(FixtureStage& stage, const ExchangePtr& exchange, const ClientMessage& message) {
  std::string params = R"({"message":)";
  protocol::append_quoted(params, text_argument(message, "message"));
  params +=
      R"(,"requestedSchema":{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}})";
  elicit_and_tell(stage, exchange, message, params, "User response");
}

void elicit_defaults(FixtureStage& stage, const ExchangePtr& exchange,
                     const ClientMessage& message) {
  elicit_and_tell(stage, exchange, message, kDefaultsQuestion, "Elicitation completed");
}

void elicit_enums(FixtureStage& stage, const ExchangePtr& exchange, const ClientMessage& message) {
  elicit_and_tell(stage, exchange, message, kEnumsQuestion, "Elicitation completed");
}

void need_sampling(FixtureStage& /*stage*/, const ExchangePtr& exchange,
                   const ClientMessage& /*message*/) {
  if (exchange->abilities.sampling) return exchange->finish(text_answer("The client can sample."));
  exchange->finish({.refusal = protocol::missing_ability("sampling")});
}

void change_tools(FixtureStage& stage, const ExchangePtr& exchange,
                  const ClientMessage& /*message*/) {
  stage.extra_tool = !stage.extra_tool;
  exchange->finish(text_answer(stage.extra_tool ? "A tool was added." : "A tool was removed."));
  stage.subscriptions.tools_changed();
}

void change_prompts(FixtureStage& stage, const ExchangePtr& exchange,
                    const ClientMessage& /*message*/) {
  stage.extra_prompt = !stage.extra_prompt;
  exchange->finish(
      text_answer(stage.extra_prompt ? "A prompt was added." : "A prompt was removed."));
  stage.subscriptions.prompts_changed();
}

void change_resource(FixtureStage& stage, const ExchangePtr& exchange,
                     const ClientMessage& /*message*/) {
  ++stage.resource_changes;
  exchange->finish(text_answer("The watched resource was changed."));
  stage.subscriptions.resource_changed("test://watched-resource");
}

void echo_region(FixtureStage& /*stage*/, const ExchangePtr& exchange,
                 const ClientMessage& message) {
  exchange->finish(text_answer(fmt::format("Region: {}", text_argument(message, "region"))));
}

constexpr std::array kTools{
    FixtureTool{"test_simple_text", "Answers a text.", kNothing, answer_with<kSimpleText>},
    FixtureTool{"test_image_content", "Answers an image.", kNothing, answer_image},
    FixtureTool{"test_audio_content", "Answers audio.", kNothing, answer_audio},
    FixtureTool{"test_embedded_resource", "Answers a resource.", kNothing, answer_with<kEmbedded>},
    FixtureTool{"test_multiple_content_types", "Answers a text, an image and a resource.", kNothing,
                answer_mixed},
    FixtureTool{"test_error_handling", "Always fails.", kNothing, fail_always},
    FixtureTool{"test_tool_with_logging", "Logs three times while it runs.", kNothing, log_three},
    FixtureTool{"test_logging_tool", "The same, for clients that may not want to hear.", kNothing,
                log_three},
    FixtureTool{"test_tool_with_progress", "Tells its progress.", kNothing, report_progress},
    FixtureTool{"test_reconnection", "Ends its stream before it answers.", kNothing,
                come_back_for_it},
    FixtureTool{"test_sampling", "Asks the client's model.", kPromptSchema, sample},
    FixtureTool{"test_elicitation", "Asks the user.", kMessageSchema, elicit},
    FixtureTool{"test_elicitation_sep1034_defaults", "Asks with default values.", kNothing,
                elicit_defaults},
    FixtureTool{"test_elicitation_sep1330_enums", "Asks with every kind of choice.", kNothing,
                elicit_enums},
    FixtureTool{"test_missing_capability", "Needs a client that can sample.", kNothing,
                need_sampling},
    FixtureTool{"test_trigger_tool_change", "Adds a tool, or takes it away.", kNothing,
                change_tools},
    FixtureTool{"test_trigger_prompt_change", "Adds a prompt, or takes it away.", kNothing,
                change_prompts},
    FixtureTool{"test_trigger_resource_update", "Changes test://watched-resource.", kNothing,
                change_resource},
    FixtureTool{"test_param_headers", "Has parameters that are repeated in headers.", kRegionSchema,
                echo_region},
    FixtureTool{"json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features",
                kDialectSchema, answer_with<kSimpleText>},
};
constexpr FixtureTool kExtraTool{"test_added_tool",
                                 "Here after every other test_trigger_tool_change.", kNothing,
                                 answer_with<kSimpleText>};

constexpr std::array kParamHeaders{
    protocol::ParamHeader{.param = "region", .header = "Mcp-Param-Region"},
    protocol::ParamHeader{.param = "count", .header = "Mcp-Param-Count"}};

const FixtureTool* find_tool(std::string_view name) {
  if (name == kExtraTool.name) return &kExtraTool;
  const auto* const found = std::ranges::find(kTools, name, &FixtureTool::name);
  return found == kTools.end() ? nullptr : found;
}

std::string render(const FixtureTool& tool) {
  return fmt::format(R"({{"name":"{}","description":"{}","inputSchema":{}}})", tool.name,
                     tool.description, tool.schema);
}

}  // namespace

std::string render_fixture_tools(const FixtureStage& stage) {
  std::string text;
  for (const auto& tool : kTools) text += render(tool) + ',';
  if (stage.extra_tool) text += render(kExtraTool) + ',';
  return text + render_input_tools();
}

bool is_fixture_tool(std::string_view name) {
  return find_tool(name) != nullptr || is_input_tool(name);
}

void call_fixture_tool(FixtureStage& stage, const ExchangePtr& exchange,
                       const ClientMessage& message) {
  const auto name = message.text_param("name");
  if (is_input_tool(name)) return call_input_tool(stage, *exchange, message);
  if (name == kExtraTool.name && !stage.extra_tool)
    return exchange->finish(
        refused(protocol::kInvalidParams, fmt::format("there is no tool {}", name)));
  find_tool(name)->run(stage, exchange, message);
}

std::span<const protocol::ParamHeader> fixture_param_headers(std::string_view tool) {
  if (tool != "test_param_headers") return {};
  return kParamHeaders;
}

}  // namespace weighbridge::reference

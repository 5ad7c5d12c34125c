// Tools of --fixtures that need something of their client, in the words of the conformance suite.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "os/real_clock.h"
#include "reference/fixtures.h"
#include "reference/input_rounds.h"

namespace weighbridge::reference {
namespace {

using protocol::ClientMessage;

constexpr InputRequest kName{
    .key = "user_name",
    .method = "elicitation/create",
    .ability = "elicitation",
    .params =
        R"({"mode":"form","message":"What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}})"};
constexpr InputRequest kCapital{
    .key = "capital_question",
    .method = "sampling/createMessage",
    .ability = "sampling",
    .params =
        R"({"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100})"};
constexpr InputRequest kGreeting{
    .key = "greeting",
    .method = "sampling/createMessage",
    .ability = "sampling",
    .params =
        R"({"messages":[{"role":"user","content":{"type":"text","text":"Generate a greeting"}}],"maxTokens":50})"};
constexpr InputRequest kRoots{
    .key = "client_roots", .method = "roots/list", .ability = "roots", .params = "{}"};
constexpr InputRequest kConfirm{
    .key = "confirm",
    .method = "elicitation/create",
    .ability = "elicitation",
    .params =
        R"({"mode":"form","message":"Please confirm","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}})"};
constexpr InputRequest kColour{
    .key = "step2",
    .method = "elicitation/create",
    .ability = "elicitation",
    .params =
        R"({"mode":"form","message":"Step 2: What is your favorite color?","requestedSchema":{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}})"};
constexpr InputRequest kFirstName{
    .key = "step1",
    .method = "elicitation/create",
    .ability = "elicitation",
    .params =
        R"({"mode":"form","message":"Step 1: What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}})"};

using Round = std::span<const InputRequest>;

constexpr std::array kAskName{kName};
constexpr std::array kAskCapital{kCapital};
constexpr std::array kAskRoots{kRoots};
constexpr std::array kAskConfirm{kConfirm};
constexpr std::array kAskAll{kName, kGreeting, kRoots};
constexpr std::array kAskFirstName{kFirstName};
constexpr std::array kAskColour{kColour};
constexpr std::array<Round, 1> kNameRounds{kAskName};
constexpr std::array<Round, 1> kCapitalRounds{kAskCapital};
constexpr std::array<Round, 1> kRootsRounds{kAskRoots};
constexpr std::array<Round, 1> kConfirmRounds{kAskConfirm};
constexpr std::array<Round, 1> kAllRounds{kAskAll};
constexpr std::array<Round, 2> kTwoRounds{kAskFirstName, kAskColour};

struct InputTool {
  std::string_view name;
  std::string_view description;
  InputPlan plan;
};

constexpr std::array kTools{
    InputTool{
        "test_input_required_result_elicitation", "Asks for a name, and greets.", {kNameRounds}},
    InputTool{"test_input_required_result_sampling", "Asks the client's model.", {kCapitalRounds}},
    InputTool{
        "test_input_required_result_list_roots", "Asks for the client's roots.", {kRootsRounds}},
    InputTool{"test_input_required_result_request_state",
              "Asks, and checks the state it gave.",
              {kConfirmRounds, true}},
    InputTool{"test_input_required_result_multiple_inputs",
              "Asks for three things at once.",
              {kAllRounds, true}},
    InputTool{"test_input_required_result_multi_round",
              "Asks twice, one after the other.",
              {kTwoRounds, true}},
    InputTool{"test_input_required_result_tampered_state",
              "Refuses a state that is not its own.",
              {kConfirmRounds, true}},
    InputTool{"test_input_required_result_capabilities",
              "Asks for what the client can do only.",
              {kAllRounds}},
    InputTool{"test_streaming_elicitation",
              "Asks for a name where a stream could be expected.",
              {kNameRounds}},
};

const InputTool* find_tool(std::string_view name) {
  const auto* const found = std::ranges::find(kTools, name, &InputTool::name);
  return found == kTools.end() ? nullptr : found;
}

}  // namespace

std::string render_input_tools() {
  std::string text;
  for (const auto& tool : kTools)
    text += fmt::format(
        R"({}{{"name":"{}","description":"{}","inputSchema":{{"type":"object","properties":{{}}}}}})",
        text.empty() ? "" : ",", tool.name, tool.description);
  return text;
}

bool is_input_tool(std::string_view name) {
  return find_tool(name) != nullptr;
}

void call_input_tool(const FixtureStage& stage, const Exchange& exchange,
                     const ClientMessage& message) {
  const auto* const tool = find_tool(message.text_param("name"));
  if (exchange.era->handshake)
    return exchange.finish(text_answer("this tool needs revision 2026-07-28", true));
  auto outcome = take_inputs(tool->plan, message, exchange, stage.states, os::now());
  if (outcome.answer) return exchange.finish(std::move(*outcome.answer));
  // "state-ok" is what the suite looks for in tools that keep a state.
  exchange.finish(text_answer(fmt::format("{}{}", tool->plan.with_state ? "state-ok: " : "",
                                          std::string(simdjson::minify(outcome.inputs)))));
}

void ask_client(FixtureStage& stage, const ExchangePtr& exchange, const ClientMessage& message,
                const InputRequest& question,
                std::function<void(const Exchange&, simdjson::dom::element)> then) {
  if (!exchange->era->server_requests) {
    const std::array round{question};
    const std::array<Round, 1> rounds{round};
    auto outcome = take_inputs({.rounds = rounds}, message, *exchange, stage.states, os::now());
    if (outcome.answer) return exchange->finish(std::move(*outcome.answer));
    return then(*exchange, outcome.inputs[question.key].value_unsafe());
  }
  if (!exchange->abilities.has(question.ability))
    return exchange->finish(text_answer(
        fmt::format("this tool needs the client capability {}", question.ability), true));
  if (!exchange->caller || !exchange->conversation)
    return exchange->finish(text_answer("this tool needs a session, to ask the client", true));
  const Asker whom{.caller = exchange->caller, .conversation = exchange->conversation};
  exchange->question = stage.questions.ask(
      whom, question.method, question.params,
      [weak = std::weak_ptr(exchange), then = std::move(then)](const ClientMessage& response) {
        const auto waiting = weak.lock();
        if (!waiting) return;
        waiting->question = 0;
        if (!response.has_result)
          return waiting->finish(text_answer("the client answered with an error", true));
        then(*waiting, response.result);
      });
}

}  // namespace weighbridge::reference

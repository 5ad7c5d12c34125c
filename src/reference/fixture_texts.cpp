// Prompts, completions and resources of --fixtures, in the words of the conformance suite.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "os/real_clock.h"
#include "protocol/server_json.h"
#include "reference/fixtures.h"
#include "reference/input_rounds.h"

namespace weighbridge::reference {

const std::string_view kFixtureImage =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg"
    "gg==";

namespace {

using namespace std::string_view_literals;
using protocol::append_quoted;
using protocol::ClientMessage;

constexpr std::string_view kPrompts =
    R"({"name":"test_simple_prompt","title":"Simple","description":"A prompt without arguments."},)"
    R"({"name":"test_prompt_with_arguments","description":"A prompt with two arguments.",)"
    R"("arguments":[{"name":"arg1","description":"First test argument","required":true},)"
    R"({"name":"arg2","description":"Second test argument","required":true}]},)"
    R"({"name":"test_prompt_with_embedded_resource","description":"A prompt that carries a resource.",)"
    R"("arguments":[{"name":"resourceUri","description":"URI to embed","required":true}]},)"
    R"({"name":"test_prompt_with_image","description":"A prompt that carries an image."},)"
    R"({"name":"test_input_required_result_prompt","description":"A prompt that asks for its context first."})";
constexpr std::string_view kExtraPrompt =
    R"(,{"name":"test_added_prompt","description":"Here after every other test_trigger_prompt_change."})";

constexpr std::string_view kResources =
    R"({"uri":"test://static-text","name":"static-text","description":"A text that stays.","mimeType":"text/plain"},)"
    R"({"uri":"test://static-binary","name":"static-binary","description":"An image.","mimeType":"image/png"},)"
    R"({"uri":"test://watched-resource","name":"watched-resource","description":"Changes with test_trigger_resource_update.","mimeType":"text/plain"})";
constexpr std::string_view kTemplates =
    R"({"uriTemplate":"test://template/{id}/data","name":"template","description":"Data by id.","mimeType":"application/json"})";

constexpr std::array kContextQuestion{InputRequest{
    .key = "user_context",
    .method = "elicitation/create",
    .ability = "elicitation",
    .params =
        R"({"mode":"form","message":"What context should the prompt use?","requestedSchema":{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}})"}};
constexpr std::array<std::span<const InputRequest>, 1> kContextRounds{kContextQuestion};

std::string text_message(std::string_view text) {
  std::string out = R"({"role":"user","content":{"type":"text","text":)";
  append_quoted(out, text);
  return out + "}}";
}

std::string embedded_message(std::string_view uri) {
  std::string out = R"({"role":"user","content":{"type":"resource","resource":{"uri":)";
  append_quoted(out, uri);
  return out + R"(,"mimeType":"text/plain","text":"Embedded resource content for testing."}}},)" +
         text_message("Please process the embedded resource above.");
}

std::string image_message() {
  return fmt::format(
             R"({{"role":"user","content":{{"type":"image","data":"{}","mimeType":"image/png"}}}},)",
             kFixtureImage) +
         text_message("Please analyze the image above.");
}

/// A required argument of a prompt; nullopt when it is missing.
std::optional<std::string_view> argument(const ClientMessage& message, std::string_view name) {
  simdjson::dom::object arguments;
  std::string_view text;
  if (message.params["arguments"].get(arguments) != simdjson::SUCCESS ||
      arguments[name].get(text) != simdjson::SUCCESS)
    return std::nullopt;
  return text;
}

Answer messages(std::string_view all) {
  return {.members = fmt::format(R"("messages":[{}])", all)};
}

Answer missing_argument(std::string_view name) {
  return refused(protocol::kInvalidParams, fmt::format("the argument {} is missing", name));
}

}  // namespace

std::string render_fixture_prompts(const FixtureStage& stage) {
  std::string text(kPrompts);
  if (stage.extra_prompt) text += kExtraPrompt;
  return text;
}

void get_fixture_prompt(const FixtureStage& stage, const Exchange& exchange,
                        const ClientMessage& message) {
  const auto name = message.text_param("name");
  if (name == "test_simple_prompt" || (name == "test_added_prompt" && stage.extra_prompt))
    return exchange.finish(messages(text_message("This is a simple prompt for testing.")));
  if (name == "test_prompt_with_image") return exchange.finish(messages(image_message()));
  if (name == "test_prompt_with_embedded_resource") {
    const auto uri = argument(message, "resourceUri");
    return exchange.finish(uri ? messages(embedded_message(*uri))
                               : missing_argument("resourceUri"));
  }
  if (name == "test_prompt_with_arguments") {
    const auto first = argument(message, "arg1");
    const auto second = argument(message, "arg2");
    if (!first || !second) return exchange.finish(missing_argument(first ? "arg2" : "arg1"));
    return exchange.finish(messages(
        text_message(fmt::format("Prompt with arguments: arg1='{}', arg2='{}'", *first, *second))));
  }
  if (name != "test_input_required_result_prompt")
    return exchange.finish(
        refused(protocol::kInvalidParams, fmt::format("there is no prompt {}", name)));
  if (exchange.era->handshake)
    return exchange.finish(messages(text_message("Without context: this revision cannot ask.")));
  auto outcome =
      take_inputs({.rounds = kContextRounds}, message, exchange, stage.states, os::now());
  if (outcome.answer) return exchange.finish(std::move(*outcome.answer));
  simdjson::dom::element context;
  std::string_view text = "none";
  if (outcome.inputs["user_context"]["content"]["context"].get(context) == simdjson::SUCCESS &&
      context.get(text) != simdjson::SUCCESS)
    text = "none";
  exchange.finish(messages(text_message(fmt::format("Context: {}", text))));
}

Answer complete_fixture(const ClientMessage& message) {
  constexpr std::array kPlaces{"paris"sv, "park"sv, "party"sv};
  constexpr std::array kIds{"123"sv, "456"sv};
  simdjson::dom::object ref;
  simdjson::dom::object argument;
  std::string_view type;
  std::string_view value;
  if (!message.has_params || message.params["ref"].get(ref) != simdjson::SUCCESS ||
      ref["type"].get(type) != simdjson::SUCCESS ||
      message.params["argument"].get(argument) != simdjson::SUCCESS ||
      argument["value"].get(value) != simdjson::SUCCESS)
    return refused(protocol::kInvalidParams, "completion takes a ref and an argument with a value");
  std::string_view target;
  std::span<const std::string_view> choices;
  if (type == "ref/prompt" && ref["name"].get(target) == simdjson::SUCCESS &&
      target == "test_prompt_with_arguments")
    choices = kPlaces;
  if (type == "ref/resource" && ref["uri"].get(target) == simdjson::SUCCESS &&
      target == "test://template/{id}/data")
    choices = kIds;
  std::string values;
  int total = 0;
  for (const auto choice : choices) {
    if (!choice.starts_with(value)) continue;
    values += fmt::format(R"({}"{}")", values.empty() ? "" : ",", choice);
    ++total;
  }
  return {.members = fmt::format(R"("completion":{{"values":[{}],"total":{},"hasMore":false}})",
                                 values, total)};
}

std::string_view fixture_resources() {
  return kResources;
}

std::string_view fixture_templates() {
  return kTemplates;
}

std::optional<std::string> read_fixture_resource(const FixtureStage& stage, std::string_view uri) {
  if (uri == "test://static-binary")
    return fmt::format(R"({{"uri":"{}","mimeType":"image/png","blob":"{}"}})", uri, kFixtureImage);
  std::string text;
  std::string_view type = "text/plain";
  if (uri == "test://static-text") {
    text = "This is the content of the static text resource.";
  } else if (uri == "test://watched-resource") {
    text = fmt::format("Changed {} times.", stage.resource_changes);
  } else {
    constexpr auto kBefore = "test://template/"sv;
    constexpr auto kAfter = "/data"sv;
    if (!uri.starts_with(kBefore) || !uri.ends_with(kAfter) ||
        uri.size() <= kBefore.size() + kAfter.size())
      return std::nullopt;
    std::string id;
    protocol::append_escaped(
        id, uri.substr(kBefore.size(), uri.size() - kBefore.size() - kAfter.size()));
    text = fmt::format(R"({{"id":"{0}","templateTest":true,"data":"Data for ID: {0}"}})", id);
    type = "application/json";
  }
  std::string out = R"({"uri":)";
  append_quoted(out, uri);
  out += fmt::format(R"(,"mimeType":"{}","text":)", type);
  append_quoted(out, text);
  return out + '}';
}

}  // namespace weighbridge::reference

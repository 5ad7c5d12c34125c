#include "reference/input_rounds.h"

#include <fmt/format.h>

#include <charconv>

#include "protocol/server_json.h"

namespace weighbridge::reference {
namespace {

using protocol::ClientMessage;

/// Which round a request answers; nullopt when it brought a state that is not to be trusted.
std::optional<std::size_t> round_of(const InputPlan& plan, const ClientMessage& message,
                                    const RequestState& states, const RequestState::Bound& bound,
                                    Instant now) {
  simdjson::dom::element given;
  if (message.params["requestState"].get(given) != simdjson::SUCCESS) return 0;
  std::string_view state;
  if (given.get(state) != simdjson::SUCCESS) return std::nullopt;
  const auto payload = states.open(state, bound, now);
  if (!payload) return std::nullopt;
  std::size_t round = 0;
  std::from_chars(payload->data(), payload->data() + payload->size(), round);
  if (round >= plan.rounds.size()) return std::nullopt;
  return round;
}

Answer ask(std::span<const InputRequest> round, const Exchange& exchange, std::string state) {
  Answer answer{.input_required = true};
  for (const auto& each : round) {
    if (!exchange.abilities.has(each.ability)) continue;
    answer.members +=
        fmt::format(R"({}"{}":{{"method":"{}","params":{}}})", answer.members.empty() ? "" : ",",
                    each.key, each.method, each.params);
  }
  if (answer.members.empty()) {
    answer.input_required = false;
    answer.refusal = protocol::missing_ability(round.front().ability);
    return answer;
  }
  answer.members = fmt::format(R"("inputRequests":{{{}}})", answer.members);
  if (!state.empty()) {
    answer.members += R"(,"requestState":)";
    protocol::append_quoted(answer.members, state);
  }
  return answer;
}

/// Whether every input that this client can be asked for is there.
bool has_all(std::span<const InputRequest> round, const Exchange& exchange,
             const simdjson::dom::object& inputs) {
  bool any = false;
  for (const auto& each : round) {
    if (!exchange.abilities.has(each.ability)) continue;
    simdjson::dom::object input;
    if (inputs[each.key].get(input) != simdjson::SUCCESS) return false;
    any = true;
  }
  return any;
}

}  // namespace

InputOutcome take_inputs(const InputPlan& plan, const ClientMessage& message,
                         const Exchange& exchange, const RequestState& states, Instant now) {
  const auto request = fmt::format("{} {}", message.method, message.text_param("name"));
  const RequestState::Bound bound{.request = request, .principal = exchange.principal};
  const auto round = round_of(plan, message, states, bound, now);
  if (!round)
    return {.answer = refused(protocol::kInvalidParams,
                              "requestState was not given out for this request, or is too old")};
  const auto ask_for = [&](std::size_t which) -> InputOutcome {
    auto state = plan.with_state ? states.seal(fmt::format("{}", which), bound, now) : "";
    return {.answer = ask(plan.rounds[which], exchange, std::move(state))};
  };
  simdjson::dom::element given;
  if (message.params["inputResponses"].get(given) != simdjson::SUCCESS) return ask_for(*round);
  simdjson::dom::object inputs;
  if (given.get(inputs) != simdjson::SUCCESS)
    return {.answer = refused(protocol::kInvalidParams, "inputResponses must be an object")};
  // Without the state nobody knows that it was asked at all.
  if (plan.with_state && message.params["requestState"].error() != simdjson::SUCCESS)
    return ask_for(0);
  if (!has_all(plan.rounds[*round], exchange, inputs)) return ask_for(*round);
  if (*round + 1 < plan.rounds.size()) return ask_for(*round + 1);
  return {.answer = {}, .inputs = inputs};
}

}  // namespace weighbridge::reference

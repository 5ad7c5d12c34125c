#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "os/poller.h"
#include "protocol/param_headers.h"
#include "protocol/server_message.h"
#include "reference/exchange.h"
#include "reference/questions.h"
#include "reference/request_state.h"
#include "reference/subscriptions.h"

namespace weighbridge::reference {

/// What the fixtures act upon: the tools, resources and prompts that the official conformance suite
/// expects of a server. They are there with --fixtures only.
struct FixtureStage {
  os::Poller& poller;
  Questions& questions;
  Subscriptions& subscriptions;
  const RequestState& states;
  // What the test_trigger_* tools change.
  bool extra_tool = false;
  bool extra_prompt = false;
  int resource_changes = 0;
};

// Tools (fixture_tools.cpp)

/// Tool objects joined by commas.
std::string render_fixture_tools(const FixtureStage& stage);
bool is_fixture_tool(std::string_view name);
void call_fixture_tool(FixtureStage& stage, const ExchangePtr& exchange,
                       const protocol::ClientMessage& message);
std::span<const protocol::ParamHeader> fixture_param_headers(std::string_view tool);

// Tools that need input of their client (fixture_inputs.cpp)

std::string render_input_tools();
bool is_input_tool(std::string_view name);
void call_input_tool(const FixtureStage& stage, const Exchange& exchange,
                     const protocol::ClientMessage& message);
/// Asks the client by the means of its era, and then calls `then` with its answer.
void ask_client(FixtureStage& stage, const ExchangePtr& exchange,
                const protocol::ClientMessage& message, const struct InputRequest& question,
                std::function<void(const Exchange&, simdjson::dom::element)> then);

// Prompts and resources (fixture_texts.cpp)

std::string render_fixture_prompts(const FixtureStage& stage);
void get_fixture_prompt(const FixtureStage& stage, const Exchange& exchange,
                        const protocol::ClientMessage& message);
Answer complete_fixture(const protocol::ClientMessage& message);
/// Resource objects joined by commas.
std::string_view fixture_resources();
std::string_view fixture_templates();
/// As an entry of `contents`; nullopt if there is none of this URI.
std::optional<std::string> read_fixture_resource(const FixtureStage& stage, std::string_view uri);

/// A red dot as PNG, in base64.
extern const std::string_view kFixtureImage;

}  // namespace weighbridge::reference

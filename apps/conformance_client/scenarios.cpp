#include "scenarios.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "arguments.h"

namespace weighbridge::conformance {
namespace {

using client::Call;
using client::Session;
using nlohmann::json;

/// The suite gives a client thirty seconds for everything.
constexpr Duration kPatience = 20s;

Instant soon() {
  return std::chrono::steady_clock::now() + kPatience;
}

/// One connected client and what it knows of the tools.
struct Connected {
  std::unique_ptr<os::Poller> poller;
  std::unique_ptr<Session> session;
  client::ServerIdentity server;
  std::vector<std::string> tools{};  ///< as listed

  [[nodiscard]] bool offers(std::string_view capability) const {
    return std::ranges::find(server.capabilities, capability) != server.capabilities.end();
  }
};

/// What a server may ask back shows in how it behaves, so it is declared only where it is tested.
protocol::ClientCapabilities capabilities_for(const Scenario& scenario) {
  return {.elicitation = scenario.name.find("elicitation") != std::string::npos ||
                         scenario.name.starts_with("sep-2322") ||
                         scenario.name == "request-metadata",
          .roots = scenario.name == "request-metadata"};
}

Result<Connected> connect(const Scenario& scenario) {
  Connected connected;
  WB_TRY(connected.poller, os::Poller::create());
  client::HttpAccess access;
  WB_TRY(access.url, transport::parse_url(scenario.url));
  client::SessionOptions options;
  options.client_name = "weighbridge-conformance";
  options.client_version = "1";
  options.capabilities = capabilities_for(scenario);
  // Without a revision it is negotiated: a server of the older line may offer an older one.
  options.era = protocol::find_era(scenario.revision);
  if (options.era == nullptr && !scenario.revision.empty())
    return fail(ErrorCode::usage, "the suite wants an unknown revision: " + scenario.revision);
  const bool handshake = options.era == nullptr || options.era->handshake;
  if (!handshake) {
    WB_TRY(const client::Detected detected,
           client::detect_over_http(*connected.poller, access, options.era, options, soon()));
    connected.server = detected.server;
  }
  connected.session = Session::over_http(*connected.poller, std::move(access), options);
  WB_CHECK(connected.session->open(soon()));
  if (handshake) connected.server = connected.session->server();
  return connected;
}

/// A call and every round that it takes.
Result<void> call_through(Session& session, Call call) {
  constexpr int kMaxRounds = 8;
  for (int round = 0; round < kMaxRounds; ++round) {
    const client::Reply reply = session.call(call, soon());
    if (reply.error) return std::unexpected(*reply.error);
    if (reply.hung) return fail(ErrorCode::target, call.method + " was not answered");
    WB_TRY(const auto next, session.next_round(call, reply));
    if (!next) return {};
    call = *next;
  }
  return fail(ErrorCode::target, call.method + " wants ever more rounds");
}

Result<Call> call_of(const Connected& connected, const std::string& name,
                     const std::string& arguments) {
  for (const std::string& item : connected.tools)
    if (json::parse(item).value("name", "") == name) return client::call_of_tool(item, arguments);
  return fail(ErrorCode::target, "the server lists no usable tool " + name);
}

Result<void> call_every_tool(Connected& connected) {
  for (const std::string& item : connected.tools) {
    WB_TRY(Call call, client::call_of_tool(item, arguments_for(item)));
    WB_CHECK(call_through(*connected.session, std::move(call)));
  }
  return {};
}

/// Every resource and prompt, once: the method, the member that names an item, and the list's.
Result<void> use_every(Connected& connected, const std::string& list, const std::string& method,
                       const std::string& key) {
  WB_TRY(const client::Listing listing, connected.session->list(list, soon(), true));
  for (const std::string& text : listing.items_json) {
    const std::string name = json::parse(text).value(key, "");
    WB_CHECK(call_through(*connected.session, {method, json{{key, name}}.dump(), name}));
  }
  return {};
}

Result<void> use_everything(Connected& connected) {
  WB_CHECK(call_every_tool(connected));
  if (connected.offers("resources"))
    WB_CHECK(use_every(connected, "resources/list", "resources/read", "uri"));
  if (connected.offers("prompts"))
    WB_CHECK(use_every(connected, "prompts/list", "prompts/get", "name"));
  return {};
}

/// http-custom-headers: the calls that the context names.
Result<void> make_named_calls(Connected& connected, const std::string& context) {
  const json calls = json::parse(context, nullptr, /*allow_exceptions=*/false);
  for (const json& named : calls.value("toolCalls", json::array())) {
    WB_TRY(Call call,
           call_of(connected, named.value("name", ""), named.value("arguments", json()).dump()));
    WB_CHECK(call_through(*connected.session, std::move(call)));
  }
  return {};
}

/// sep-2322: another tool is called while the first one waits for its input.
Result<void> interleave_rounds(Connected& connected) {
  WB_TRY(const Call first, call_of(connected, "test_mrtr_echo_state", "{}"));
  const client::Reply asked = connected.session->call(first, soon());
  WB_TRY(const Call other, call_of(connected, "test_mrtr_unrelated", "{}"));
  WB_CHECK(call_through(*connected.session, other));
  WB_TRY(const auto next, connected.session->next_round(first, asked));
  if (!next) return fail(ErrorCode::target, "test_mrtr_echo_state asked for no input");
  WB_CHECK(call_through(*connected.session, *next));
  for (const char* name : {"test_mrtr_no_state", "test_mrtr_no_result_type"}) {
    WB_TRY(const Call call, call_of(connected, name, "{}"));
    WB_CHECK(call_through(*connected.session, call));
  }
  return {};
}

/// json-schema-2020-12-preservation: the schema goes back as it came, byte for byte.
Result<void> echo_schema(Connected& connected) {
  for (const std::string& item : connected.tools) {
    const auto tool = nlohmann::ordered_json::parse(item);
    if (tool.value("name", "") == "json_schema_echo") continue;
    WB_TRY(const Call call, call_of(connected, "json_schema_echo",
                                    R"({"schema":)" + tool["inputSchema"].dump() + "}"));
    WB_CHECK(call_through(*connected.session, call));
  }
  return {};
}

Result<void> act(Connected& connected, const Scenario& scenario) {
  if (scenario.name == "http-custom-headers") return make_named_calls(connected, scenario.context);
  if (scenario.name == "sep-2322-client-request-state") return interleave_rounds(connected);
  if (scenario.name == "json-schema-2020-12-preservation") return echo_schema(connected);
  return use_everything(connected);
}

}  // namespace

Result<void> run(const Scenario& scenario) {
  WB_TRY(Connected connected, connect(scenario));
  WB_TRY(client::Listing tools, connected.session->list("tools/list", soon(), true));
  connected.tools = std::move(tools.items_json);
  const Result<void> acted = act(connected, scenario);
  connected.session->close(2s);
  return acted;
}

}  // namespace weighbridge::conformance

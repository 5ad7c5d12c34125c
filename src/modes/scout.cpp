#include "modes/scout.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/words.h"
#include "os/real_clock.h"
#include "protocol/tool.h"

namespace weighbridge::modes {
namespace {

using client::Detected;
using client::Listing;

Result<const protocol::Era*> asked_era(const plan::Plan& plan) {
  if (plan.protocol == "auto") return nullptr;
  const protocol::Era* era = protocol::find_era(plan.protocol);
  if (era != nullptr) return era;
  std::string known;
  for (const protocol::Era& candidate : protocol::eras()) {
    known += (known.empty() ? "" : ", ") + std::string(candidate.name);
  }
  return fail(ErrorCode::plan,
              fmt::format("\"{}\" is no revision of the protocol known here", plan.protocol),
              plan.path.empty() ? "--protocol" : plan.path,
              fmt::format("Write \"auto\" or one of: {}", known));
}

Error no_such_tool(const std::string& name, const Listing& tools, const std::string& where) {
  std::vector<std::string> names;
  for (const std::string& item : tools.items_json) {
    if (const auto tool = protocol::read_tool(item)) names.push_back(tool->name);
  }
  Error error{ErrorCode::plan, fmt::format("the server has no tool \"{}\"", name), where, {}, 0};
  for (const std::string& dropped : tools.dropped) {
    if (!dropped.starts_with(name + ": ")) continue;
    error.what = "the tool must not be called over HTTP: " + dropped;
    error.remedy = "Name another tool; this one's annotations are for its author to mend";
    return error;
  }
  const std::string near = nearest_word(name, names);
  if (!near.empty()) {
    error.remedy = fmt::format("Did you mean \"{}\"?", near);
  } else if (!names.empty()) {
    error.remedy = fmt::format("It has {} tools; the first is \"{}\"", names.size(), names.front());
  }
  return error;
}

bool offers(const client::ServerIdentity& server, std::string_view capability) {
  return std::ranges::find(server.capabilities, capability) != server.capabilities.end();
}

/// What tools/call is to call: the plan's tool, or one that is safe to call unasked.
Result<void> pick_tool(Scouted& scouted, const ScenarioSpec& spec, const Listing& tools) {
  for (const std::string& dropped : tools.dropped) {
    scouted.doubts.push_back({record::DoubtKind::tool_dropped, spec.id,
                              "a tool must not be called over HTTP: " + dropped,
                              "Tell the server's author: clients leave such tools out"});
  }
  std::string name;
  std::string arguments = "{}";
  if (spec.variant->call) {
    name = spec.variant->call->tool;
    arguments = spec.variant->call->arguments;
    scouted.expect = to_expectation(spec.variant->call->expect);
  } else {
    const auto chosen = protocol::choose_tool(tools.items_json);
    if (!chosen) {
      scouted.doubts.push_back(
          {record::DoubtKind::no_tool, spec.id,
           "no tool was named, and the server has none that is annotated read-only and needs no "
           "arguments: tools/call was left out",
           "Name one with --tool NAME --arguments JSON, or in the plan's [[variant]]"});
      return {};
    }
    name = *chosen;
    scouted.server.tool_chosen = true;
    scouted.doubts.push_back(
        {record::DoubtKind::tool_chosen, spec.id,
         fmt::format("no tool was named; \"{}\" was chosen: the first that is annotated read-only "
                     "and needs no arguments",
                     *chosen),
         "Name the tool your callers use with --tool, or in the plan's [[variant]]"});
  }
  WB_TRY(client::Call call, call_of_listed(tools, name, arguments, spec.id));
  scouted.tool_call = std::move(call);
  scouted.server.tool = name;
  return {};
}

void look_for_resources(Scouted& scouted, const ScenarioSpec& spec, client::Session& session,
                        const client::ServerIdentity& server, Instant deadline) {
  std::string reason = "it does not declare the resources capability";
  if (offers(server, "resources")) {
    const auto resources = session.list("resources/list", deadline);
    if (resources) {
      scouted.lists_resources = true;
      scouted.server.resources = resources->items;
      return;
    }
    reason = resources.error().what;
  }
  scouted.doubts.push_back({record::DoubtKind::method_left_out, spec.id,
                            fmt::format("resources/list was left out: {}", reason),
                            "Nothing to do: not every server "
                            "has resources"});
}

record::Server describe_server(const ScenarioSpec& spec, const Detected& detected,
                               const Listing& tools) {
  record::Server server;
  server.transport = spec.transport == Transport::http ? client::to_string(detected.dialect)
                                                       : to_string(spec.transport);
  server.variant = spec.variant->name;
  server.name = detected.server.name;
  server.title = detected.server.title;
  server.version = detected.server.version;
  server.revision = detected.era->name;
  server.revisions_offered = detected.server.revisions;
  server.capabilities = detected.server.capabilities;
  server.era_evidence = detected.evidence;
  server.instructions_bytes = detected.server.instructions_bytes;
  server.tools = tools.items;
  server.list_pages = tools.page_bytes.size();
  for (const std::uint64_t bytes : tools.page_bytes) server.list_bytes += bytes;
  server.list_wire_bytes = tools.wire_bytes;
  return server;
}

Result<Scouted> ask(Lab& lab, const ScenarioSpec& spec, const client::SessionOptions& options,
                    target::Deployment& deployment) {
  WB_TRY(const protocol::Era* asked, asked_era(lab.plan()));
  WB_CHECK(deployment.start());
  WB_TRY(const Detected detected, deployment.detect(asked, options));
  client::SessionOptions known = options;
  known.era = detected.era;
  known.dialect = detected.dialect;
  WB_TRY(const target::Attached attached, deployment.attach(0, known));
  const Instant deadline = os::now() + lab.plan().run.first_list_timeout;
  auto tools = attached.session->list("tools/list", deadline, /*keep_items=*/true);
  if (!tools || tools->items == 0) {
    Error error{
        ErrorCode::target, "the server lists no tools", spec.id,
        "Weighbridge weighs servers by listing and calling tools; check the server's configuration",
        0};
    if (!tools)
      error.what = fmt::format("tools/list failed: {}; before that, {}", describe(tools.error()),
                               detected.evidence);
    if (!tools && offers(detected.server, "tools")) error.remedy = deployment.last_words();
    return std::unexpected(error);
  }
  Scouted scouted;
  scouted.era = detected.era;
  scouted.dialect = detected.dialect;
  scouted.server = describe_server(spec, detected, *tools);
  WB_CHECK(pick_tool(scouted, spec, *tools));
  scouted.tools = std::move(*tools);
  look_for_resources(scouted, spec, *attached.session, detected.server, deadline);
  // As a whole, because a secret may be the word behind its flag.
  scouted.server.command = lab.redactor()(deployment.command());
  scouted.inherited_env = deployment.environment().inherited_names;
  scouted.stripped_env = deployment.environment().stripped_names;
  attached.session->close(2s);
  return scouted;
}

}  // namespace

Result<Scouted> scout(Lab& lab, const ScenarioSpec& spec, const client::SessionOptions& options) {
  WB_TRY(const auto supervisor, lab.new_supervisor());
  WB_TRY(const auto deployment, lab.deploy(*supervisor, spec, nullptr));
  auto scouted = ask(lab, spec, options, *deployment);
  deployment->stop();
  return scouted;
}

Result<client::Call> call_of_listed(const client::Listing& tools, const std::string& name,
                                    const std::string& arguments, const std::string& where) {
  const auto item = std::ranges::find_if(tools.items_json, [&](const std::string& candidate) {
    const auto tool = protocol::read_tool(candidate);
    return tool && tool->name == name;
  });
  if (item == tools.items_json.end()) return std::unexpected(no_such_tool(name, tools, where));
  return client::call_of_tool(*item, arguments);
}

protocol::Expectation to_expectation(const plan::Expectation& asked) {
  return {.contains = asked.contains,
          .min_bytes = asked.min_bytes,
          .max_bytes = asked.max_bytes,
          .equals = asked.equals,
          .pointer = asked.pointer,
          .value = asked.value,
          .count = asked.count,
          .same_result = asked.same_result};
}

std::vector<protocol::RefusalRule> to_refusals(const std::vector<plan::RefusalRule>& asked) {
  std::vector<protocol::RefusalRule> rules;
  rules.reserve(asked.size());
  for (const plan::RefusalRule& rule : asked) {
    rules.push_back({rule.status, rule.code, rule.is_error, rule.text_prefix});
  }
  return rules;
}

}  // namespace weighbridge::modes

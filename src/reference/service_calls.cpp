// tools/call, from its arguments to its answer.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "os/real_clock.h"
#include "protocol/server_json.h"
#include "reference/fixed_tools.h"
#include "reference/program.h"
#include "reference/refusals.h"
#include "reference/service.h"

namespace weighbridge::reference {

using protocol::append_quoted;
using protocol::ClientMessage;

Service::Ticket Service::call_tool(Pending&& pending, const ClientMessage& message,
                                   const Credential& credential, Ticket ticket) {
  pending.tool = message.text_param("name");
  if (!gate_.is_open()) return wait_for_place(std::move(pending), message, credential, ticket);
  pending.place = gate_.enter();
  return begin_call(std::move(pending), message, credential, ticket);
}

/// What was asked is kept as text: the message belongs to its reader, which reads on.
Service::Ticket Service::wait_for_place(Pending&& pending, const ClientMessage& message,
                                        const Credential& credential, Ticket ticket) {
  if (gate_.is_full()) {
    refuse_as_busy(pending);
    return 0;
  }
  if (ticket == 0) ticket = next_ticket_++;
  auto& kept = pending_[ticket] = std::move(pending);
  kept.waiter = gate_.wait([this, ticket, params = params_of(message), credential](auto place) {
    begin_waiting_call(ticket, params, credential, std::move(place));
  });
  return ticket;
}

void Service::begin_waiting_call(Ticket ticket, const std::string& params,
                                 const Credential& credential, CallGate::Place place) {
  auto node = pending_.extract(ticket);
  ClientMessage message;
  message.has_params = waited_.parse(params).get(message.params) == simdjson::SUCCESS;
  node.mapped().waiter = 0;
  node.mapped().place = std::move(place);
  begin_call(std::move(node.mapped()), message, credential, ticket);
}

Service::Ticket Service::begin_call(Pending&& pending, const ClientMessage& message,
                                    const Credential& credential, Ticket ticket) {
  simdjson::dom::element given;
  simdjson::dom::object arguments;
  const bool has_arguments = message.has_params &&
                             message.params["arguments"].get(given) == simdjson::SUCCESS &&
                             !given.is_null();
  if (has_arguments && given.get(arguments) != simdjson::SUCCESS) {
    refuse_with(pending, protocol::kInvalidParams, "arguments must be an object");
    return 0;
  }
  pending.weights = options_.weights.call;
  if (has_arguments && pending.tool == kNullTool) {
    auto weights = CallWeights::read(arguments, pending.weights);
    if (!weights)
      return finish_call(std::move(pending), render_problem(weights.error().what), ticket);
    pending.weights = *weights;
  }
  pending.burden = weigher_.weigh_call(pending.weights);
  const auto target = resolve_call(options_.surface, catalogue(), pending.tool,
                                   has_arguments ? &arguments : nullptr);
  if (!target) return finish_call(std::move(pending), render_problem(target.error().what), ticket);
  switch (target->kind) {
    case CallTarget::Kind::unknown_tool:
      refuse_with(pending, protocol::kInvalidParams,
                  fmt::format("there is no tool {}", pending.tool));
      return 0;
    case CallTarget::Kind::null:
      return answer_null(std::move(pending), ticket);
    case CallTarget::Kind::find:
      return finish_call(std::move(pending), find_action(*target), ticket);
    case CallTarget::Kind::status:
    case CallTarget::Kind::operation:
      break;
  }
  return ask_upstream(std::move(pending), *target, credential, ticket);
}

Service::Ticket Service::answer_null(Pending&& pending, Ticket ticket) {
  const auto bytes = pending.weights.answer_bytes;
  if (bytes == 0)
    return finish_call(std::move(pending), {.members = R"("content":[])", .is_error = false},
                       ticket);
  Reply reply;
  reply.body.add(writer_.open(pending.id, *pending.era) + R"("content":[{"type":"text","text":")");
  reply.body.add(weigher_.text_of(bytes));
  reply.body.add(R"("}])" + writer_.close(*pending.era));
  return finish_call(std::move(pending), std::move(reply), ticket);
}

ToolResult Service::find_action(const CallTarget& target) {
  std::string_view query;
  if (!target.has_arguments || target.arguments["query"].get(query) != simdjson::SUCCESS)
    return render_problem("the required parameter query is missing");
  std::int64_t limit = kFindLimitDefault;
  bool explain = false;
  for (const auto [key, value] : target.arguments) {
    if (key == "query" || value.is_null()) continue;
    if (key == "limit") {
      if (value.get(limit) != simdjson::SUCCESS || limit < 1)
        return render_problem("limit must be a whole number from 1 to 50");
    } else if (key == "explain") {
      if (value.get(explain) != simdjson::SUCCESS)
        return render_problem("explain must be true or false");
    } else {
      return render_problem(
          fmt::format("there is no parameter {}; it takes explain, limit, query", key));
    }
  }
  limit = std::min<std::int64_t>(limit, kFindLimitMax);
  return finder().find(query, static_cast<std::size_t>(limit), explain);
}

Service::Ticket Service::ask_upstream(Pending&& pending, const CallTarget& target,
                                      const Credential& credential, Ticket ticket) {
  const bool status = target.kind == CallTarget::Kind::status;
  Result<UpstreamRequest> request =
      status
          ? UpstreamRequest{.method = "GET", .target = "/version", .content_type = {}, .body = {}}
          : build_request(*target.operation, target.has_arguments ? &target.arguments : nullptr);
  if (!request)
    return finish_call(std::move(pending), render_problem(request.error().what), ticket);
  if (upstream_.in_flight() >= held_ceiling_) {
    refuse_as_busy(pending);
    return 0;
  }
  if (ticket == 0) ticket = next_ticket_++;
  auto& kept = pending_[ticket] = std::move(pending);
  const auto shape = status ? Shape::record : target.operation->shape;
  const auto& acting =
      credential.kind == Credential::Kind::none ? options_.own_credential : credential;
  kept.upstream_call = upstream_.call(*request, acting, [this, ticket, shape, status](auto answer) {
    upstream_answered(ticket, std::move(answer), shape, status);
  });
  stats_.limits.most_held = std::max<std::uint64_t>(stats_.limits.most_held, upstream_.in_flight());
  return ticket;
}

void Service::upstream_answered(Ticket ticket, Result<UpstreamAnswer> answer, Shape shape,
                                bool status) {
  const auto found = pending_.find(ticket);
  if (found == pending_.end()) return;
  found->second.upstream_call = 0;
  ToolResult result;
  if (status) {
    const auto structured = render_status(answer);
    result = render_text(structured, structured);
  } else if (answer) {
    result = render_answer(*answer, shape);
  } else {
    result = render_problem(fmt::format("GitLab could not be asked: {}", answer.error().what));
  }
  Pending pending = std::move(found->second);
  pending_.erase(found);
  finish_call(std::move(pending), result, ticket);
}

std::string Service::render_status(const Result<UpstreamAnswer>& answer) const {
  std::string text = fmt::format(
      R"({{"server":{{"name":"weighbridge-reference-server","version":"{}","surface":"{}",)"
      R"("actions":{},"uptime_seconds":{:.3f}}},"gitlab":{{"url":)",
      program_version(), to_string(options_.surface), catalogue_->operations().size(),
      to_seconds(os::now() - stats_.started()));
  append_quoted(text, upstream_.url());
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const bool good = answer && answer->status < 400 &&
                    parser.parse(answer->body).get(root) == simdjson::SUCCESS && root.is_object();
  text += fmt::format(R"(,"reachable":{})", answer.has_value());
  if (good) {
    for (const auto* name : {"version", "revision"}) {
      std::string_view value;
      text += fmt::format(R"(,"{}":)", name);
      if (root[name].get(value) == simdjson::SUCCESS)
        append_quoted(text, value);
      else
        text += "null";
    }
  } else {
    text += R"(,"problem":)";
    append_quoted(text, !answer                ? answer.error().what
                        : answer->status < 400 ? std::string("its answer is no version")
                                               : fmt::format("it answered {}", answer->status));
  }
  return text.append("}}");
}

Service::Ticket Service::finish_call(Pending&& pending, const ToolResult& result, Ticket ticket) {
  std::string text = writer_.open(pending.id, *pending.era);
  text.append(result.members).append(writer_.close(*pending.era));
  return finish_call(
      std::move(pending),
      {.ending = result.is_error ? Ending::is_error : Ending::ok, .body = std::move(text)}, ticket);
}

Service::Ticket Service::finish_call(Pending&& pending, Reply reply, Ticket ticket) {
  const auto delay = weigher_.delay_of(pending.weights);
  if (!delay) {
    respond(pending, std::move(reply));
    return 0;
  }
  if (ticket == 0) ticket = next_ticket_++;
  auto& kept = pending_[ticket] = std::move(pending);
  const Instant ready = os::now();
  kept.timer =
      poller_.at(ready + *delay, [this, ticket, asked = *delay, ready, reply = std::move(reply)] {
        auto node = pending_.extract(ticket);
        if (node.empty()) return;
        stats_.weights.delay_made(asked, os::now() - ready, options_.stats_delays);
        respond(node.mapped(), reply);
      });
  return ticket;
}

}  // namespace weighbridge::reference

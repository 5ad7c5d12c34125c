#include "reference/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "os/real_clock.h"
#include "protocol/server_json.h"
#include "reference/embedded.h"
#include "reference/embedded_listings.h"
#include "reference/fixed_tools.h"
#include "reference/pacer.h"
#include "reference/program.h"
#include "reference/reading.h"

namespace weighbridge::reference {
namespace {

using protocol::append_quoted;
using protocol::CacheHint;
using protocol::ClientMessage;

/// Tools and texts change with a new version of this program only.
constexpr CacheHint kLasting{.ttl_ms = 3'600'000, .is_public = true};

protocol::ServerInfo server_info(Surface surface) {
  protocol::ServerInfo info{.name = "weighbridge-reference-server",
                            .title = "GitLab",
                            .version = std::string(program_version()),
                            .instructions = {}};
  switch (surface) {
    case Surface::dynamic:
      info.instructions =
          "Find an action of the GitLab API with gitlab_find_action, then carry it out with "
          "gitlab_execute_action.";
      break;
    case Surface::meta:
      info.instructions =
          "Each tool stands for one area of the GitLab API; give it an action and its params.";
      break;
    case Surface::individual:
      info.instructions = "Each tool is one operation of the GitLab API.";
      break;
  }
  return info;
}

}  // namespace

Service::Service(os::Poller& poller, const Options& options, Stats& stats)
    : poller_(poller),
      options_(options),
      stats_(stats),
      dialogue_(options.fixtures ? std::make_unique<Dialogue>(poller) : nullptr),
      writer_(server_info(options.surface), features()),
      upstream_(poller, options.upstream,
                {.timeout = options.upstream_timeout, .connections = options.upstream_connections},
                stats),
      weigher_(poller, options.weights, stats.weights, stats.started()),
      gate_(poller, options.weights.concurrency, stats.weights) {
  if (!options.telemetry) return;
  if (auto collector = transport::parse_url(options.otlp_endpoint))
    telemetry_ = std::make_unique<Telemetry>(
        poller,
        Telemetry::Settings{.collector = std::move(*collector),
                            .service = options.otlp_service_name,
                            .trace_interval = options.otlp_trace_interval,
                            .metric_interval = options.otlp_metric_interval},
        stats);
}

Service::~Service() {
  for (auto& [ticket, pending] : pending_) {
    poller_.cancel(pending.timer);
    upstream_.cancel(pending.upstream_call);
  }
}

const Catalogue& Service::catalogue() {
  if (!catalogue_)
    catalogue_ = std::make_unique<Catalogue>(embedded_operations(), embedded_words());
  return *catalogue_;
}

Finder& Service::finder() {
  if (!finder_) finder_ = std::make_unique<Finder>(catalogue());
  return *finder_;
}

const std::vector<ToolPage>& Service::pages() {
  if (pages_.empty() && options_.page_size == 0)
    pages_.push_back({.tools = transport::Piece::of_program(embedded_listing(options_.surface)),
                      .next_cursor = {}});
  if (pages_.empty())
    pages_ = make_tool_pages(render_listing(options_.surface, catalogue()), options_.page_size);
  return pages_;
}

// --- requests ----------------------------------------------------------------------------------

Service::Ticket Service::serve(const ClientMessage& message, const protocol::Era& era,
                               const Asker& asker, Respond respond) {
  stats_.request_began();
  Pending pending;
  pending.id = message.id;
  pending.era = &era;
  pending.method = message.method;
  pending.began = os::now();
  pending.respond = std::move(respond);
  weigher_.weigh_request(stats_.see_credential(asker.credential->digest()));
  if (dialogue_ && Dialogue::takes(message)) return converse(std::move(pending), message, asker);
  if (message.method == "tools/call")
    return call_tool(std::move(pending), message, *asker.credential);
  handle(pending, message);
  return 0;
}

Reply Service::refuse(std::string_view id, const protocol::Refusal& refusal) {
  return {.ending = Ending::error,
          .body = protocol::ReplyWriter::error(id, refusal),
          .http_status = refusal.http_status};
}

void Service::handle(Pending& pending, const ClientMessage& message) {
  const auto& method = message.method;
  const auto& era = *pending.era;
  if (method == "tools/list") return list_tools(pending, message);
  if (method == "resources/read") return read(pending, message);
  if (method == "ping") return answer(pending, {});
  if (method == "resources/list")
    return answer(pending,
                  fmt::format(R"("resources":[{}{}{}])", render_resource_entries(),
                              dialogue_ ? "," : "", dialogue_ ? Dialogue::resources() : ""),
                  kLasting);
  if (method == "resources/templates/list")
    return answer(
        pending, fmt::format(R"("resourceTemplates":[{}])", dialogue_ ? Dialogue::templates() : ""),
        kLasting);
  if (method == "initialize")
    return respond(pending, {.ending = Ending::ok, .body = writer_.initialized(pending.id, era)});
  respond(pending, {.ending = Ending::ok, .body = writer_.discovered(pending.id, era)});
}

void Service::list_tools(Pending& pending, const ClientMessage& message) {
  weigher_.weigh_listing();
  const auto& all = pages();
  std::size_t page = 0;
  if (message.has_params && message.params["cursor"].error() == simdjson::SUCCESS) {
    const auto asked = read_page_cursor(message.text_param("cursor"), all.size());
    if (!asked) return refuse_with(pending, protocol::kInvalidParams, "there is no such cursor");
    page = *asked;
  }
  std::string tail = "]";
  if (!all[page].next_cursor.empty())
    tail.append(R"(,"nextCursor":")").append(all[page].next_cursor).append("\"");
  Reply reply;
  reply.body.add(writer_.open(pending.id, *pending.era).append(R"("tools":[)"));
  if (dialogue_ && page == 0) reply.body.add(dialogue_->tools() + ',');
  reply.body.add(all[page].tools);
  reply.body.add(tail.append(writer_.close(*pending.era, kLasting)));
  respond(pending, std::move(reply));
}

void Service::read(Pending& pending, const ClientMessage& message) {
  const auto uri = message.text_param("uri");
  const auto text = read_resource(uri, catalogue(), options_.surface);
  if (text) return answer(pending, fmt::format(R"("contents":[{}])", *text), kLasting);
  respond(pending, refuse(pending.id, protocol::no_such_resource(*pending.era, uri)));
}

// --- what takes several steps ------------------------------------------------------------------

Service::Ticket Service::converse(Pending&& pending, const ClientMessage& message,
                                  const Asker& asker) {
  const Ticket ticket = next_ticket_++;
  const auto& era = *pending.era;
  if (message.method == "tools/call") pending.tool = message.text_param("name");
  pending_[ticket] = std::move(pending);
  dialogue_->serve(ticket, message, era, asker,
                   [this, ticket](Answer answer) { conversed(ticket, std::move(answer)); });
  return pending_.contains(ticket) ? ticket : 0;
}

void Service::conversed(Ticket ticket, Answer answer) {
  auto node = pending_.extract(ticket);
  if (node.empty()) return;
  auto& pending = node.mapped();
  if (answer.refusal) return respond(pending, refuse(pending.id, *answer.refusal));
  std::string text =
      writer_.open(pending.id, *pending.era, answer.input_required ? "input_required" : "complete");
  text.append(answer.members)
      .append(writer_.close(*pending.era, answer.hint, answer.members.empty(), answer.meta));
  respond(pending,
          {.ending = answer.is_error ? Ending::is_error : Ending::ok, .body = std::move(text)});
}

// --- tools/call --------------------------------------------------------------------------------

Service::Ticket Service::call_tool(Pending&& pending, const ClientMessage& message,
                                   const Credential& credential) {
  pending.tool = message.text_param("name");
  if (!gate_.is_open()) return wait_for_place(std::move(pending), message, credential);
  pending.place = gate_.enter();
  return begin_call(std::move(pending), message, credential, 0);
}

/// What was asked is kept as text: the message belongs to its reader, which reads on.
Service::Ticket Service::wait_for_place(Pending&& pending, const ClientMessage& message,
                                        const Credential& credential) {
  if (gate_.is_full())
    return finish_call(std::move(pending), render_problem("too many calls wait already"), 0);
  const Ticket ticket = next_ticket_++;
  auto& kept = pending_[ticket] = std::move(pending);
  std::string params = message.has_params ? simdjson::minify(message.params) : "{}";
  kept.waiter = gate_.wait([this, ticket, params = std::move(params), credential](auto place) {
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
  if (ticket == 0) ticket = next_ticket_++;
  auto& kept = pending_[ticket] = std::move(pending);
  const auto shape = status ? Shape::record : target.operation->shape;
  const auto& acting =
      credential.kind == Credential::Kind::none ? options_.own_credential : credential;
  kept.upstream_call = upstream_.call(*request, acting, [this, ticket, shape, status](auto answer) {
    upstream_answered(ticket, std::move(answer), shape, status);
  });
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

// --- answers -----------------------------------------------------------------------------------

void Service::answer(Pending& pending, std::string_view members, std::optional<CacheHint> hint) {
  std::string text = writer_.open(pending.id, *pending.era);
  text.append(members).append(writer_.close(*pending.era, hint, members.empty()));
  respond(pending, {.ending = Ending::ok, .body = std::move(text)});
}

void Service::refuse_with(Pending& pending, std::int64_t code, std::string message) {
  respond(pending, refuse(pending.id, {.code = code, .message = std::move(message), .data = {}}));
}

void Service::respond(Pending& pending, Reply reply) {
  // Before the answer goes: whoever has it may count on finding nothing held any more.
  pending.burden.reset();
  pending.place.reset();
  if (options_.weights.id_last) reply.body = with_id_last(reply.body);
  stats_.request_ended(pending.method, reply.ending);
  if (telemetry_)
    telemetry_->record({.method = pending.method,
                        .tool = pending.tool,
                        .ending = reply.ending,
                        .begin = pending.began,
                        .end = os::now()});
  pending.respond(std::move(reply));
}

void Service::abandon(Ticket ticket) {
  auto node = pending_.extract(ticket);
  if (node.empty()) return;
  poller_.cancel(node.mapped().timer);
  upstream_.cancel(node.mapped().upstream_call);
  if (dialogue_) dialogue_->abandon(ticket);
  gate_.leave(node.mapped().waiter);
  stats_.request_ended(node.mapped().method, Ending::abandoned);
}

void Service::flush_telemetry() {
  if (telemetry_) telemetry_->flush();
}

}  // namespace weighbridge::reference

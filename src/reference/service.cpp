#include "reference/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "os/real_clock.h"
#include "protocol/server_json.h"
#include "reference/ceiling.h"
#include "reference/embedded.h"
#include "reference/fixed_tools.h"
#include "reference/pacer.h"
#include "reference/program.h"
#include "reference/reading.h"
#include "reference/refusals.h"

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

/// What is answered without one: initialize, server/discover, ping.
bool needs_catalogue(std::string_view method) {
  return method.starts_with("tools/") || method.starts_with("resources/");
}

}  // namespace

Service::Service(os::Poller& poller, const Options& options, const transport::Way& way,
                 Stats& stats)
    : poller_(poller),
      options_(options),
      stats_(stats),
      dialogue_(options.fixtures ? std::make_unique<Dialogue>(poller) : nullptr),
      writer_(server_info(options.surface), features()),
      held_ceiling_(options.held_calls > 0 ? options.held_calls
                                           : held_call_ceiling(raise_descriptor_limit())),
      upstream_(poller, options.upstream, way,
                {.timeout = options.upstream_timeout,
                 .connections = options.upstream_connections > 0 ? options.upstream_connections
                                                                 : held_ceiling_},
                stats),
      callers_(options.callers, stats.limits),
      verifier_(poller, upstream_, stats.limits),
      weigher_(poller, options.weights, stats.weights, stats.started()),
      gate_(poller, options.weights.concurrency, stats.weights) {
  stats_.limits.held_ceiling = held_ceiling_;
  stats_.limits.session_ceiling =
      options.sessions > 0 ? options.sessions : reference::session_ceiling(held_ceiling_);
  sweep_callers();
  if (!options.telemetry) return;
  if (auto collector = transport::parse_url(options.otlp_endpoint))
    telemetry_ = std::make_unique<Telemetry>(
        poller,
        Telemetry::Settings{.collector = std::move(*collector),
                            .way = way,
                            .service = options.otlp_service_name,
                            .trace_interval = options.otlp_trace_interval,
                            .metric_interval = options.otlp_metric_interval,
                            .log_interval = options.otlp_log_interval},
        stats);
}

Service::~Service() {
  poller_.cancel(sweep_timer_);
  poller_.cancel(build_timer_);
  for (auto& [ticket, pending] : pending_) {
    poller_.cancel(pending.timer);
    upstream_.cancel(pending.upstream_call);
  }
}

const Catalogue& Service::catalogue() {
  if (!catalogue_) {
    ++stats_.catalogue_builds;
    catalogue_ = std::make_unique<Catalogue>(embedded_operations(), embedded_words());
  }
  return *catalogue_;
}

Finder& Service::finder() {
  if (!finder_) finder_ = std::make_unique<Finder>(catalogue());
  return *finder_;
}

const std::vector<ToolPage>& Service::pages() {
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
  if (!admit(pending, message, asker)) return 0;
  if (!has_catalogue_ && needs_catalogue(message.method))
    return wait_for_catalogue(std::move(pending), message, *asker.credential);
  return dispatch(std::move(pending), message, *asker.credential, 0);
}

Service::Ticket Service::dispatch(Pending&& pending, const ClientMessage& message,
                                  const Credential& credential, Ticket ticket) {
  if (pending.method == "tools/call")
    return call_tool(std::move(pending), message, credential, ticket);
  handle(pending, message);
  return 0;
}

Reply Service::refuse(std::string_view id, const protocol::Refusal& refusal) {
  return {.ending = Ending::error,
          .body = protocol::ReplyWriter::error(id, refusal),
          .http_status = refusal.http_status};
}

std::string Service::params_of(const ClientMessage& message) {
  return message.has_params ? simdjson::minify(message.params) : "{}";
}

// --- limits ------------------------------------------------------------------------------------

bool Service::admit(Pending& pending, const ClientMessage& message, const Asker& asker) {
  const auto caller = asker.credential->digest();
  const bool meters_lists = options_.callers.limit.on() && pending.method == "tools/list";
  const auto tools = meters_lists ? pages().front().count : 0;
  if (callers_.admit(caller, pending.method, tools, pending.began)) return true;
  if (pending.method == "tools/call") {
    pending.tool = message.text_param("name");
    refuse_call(pending, fmt::format("rate limit exceeded for {}; retry after a short backoff",
                                     pending.tool));
  } else {
    refuse_with(pending, kRateLimited, "rate limit exceeded; retry after a short backoff",
                Ending::refused);
  }
  return false;
}

/// With isError, which the model is to read.
void Service::refuse_call(Pending& pending, std::string_view why) {
  std::string text = writer_.open(pending.id, *pending.era);
  text.append(render_problem(why).members).append(writer_.close(*pending.era));
  respond(pending, {.ending = Ending::refused, .body = std::move(text)});
}

void Service::refuse_as_busy(Pending& pending) {
  ++stats_.limits.busy;
  if (pending.era->handshake) return refuse_call(pending, kBusyText);
  Reply reply =
      refuse(pending.id,
             {.code = kBusy, .message = std::string(kBusyText), .data = {}, .http_status = 503});
  reply.ending = Ending::refused;
  respond(pending, std::move(reply));
}

void Service::stand(const Credential& credential, CallerPool::OnStanding on_standing) {
  callers_.stand(
      credential.digest(), os::now(),
      [&](CallerPool::OnStanding found) { verifier_.verify(credential, std::move(found)); },
      std::move(on_standing));
}

void Service::sweep_callers() {
  callers_.sweep(os::now());
  sweep_timer_ =
      poller_.at(os::now() + std::max<Duration>(options_.callers.idle_timeout / 4, 100ms),
                 [this] { sweep_callers(); });
}

// --- the catalogue is not there yet ------------------------------------------------------------

void Service::start() {
  weigher_.start();
  if (options_.weights.build_delay <= Duration(0)) return;
  has_catalogue_ = false;
  build_timer_ =
      poller_.at(os::now() + options_.weights.build_delay, [this] { catalogue_is_there(); });
}

Service::Ticket Service::wait_for_catalogue(Pending&& pending, const ClientMessage& message,
                                            const Credential& credential) {
  constexpr Duration kMostWait = 30s;
  const Ticket ticket = next_ticket_++;
  auto& kept = pending_[ticket] = std::move(pending);
  kept.timer = poller_.at(os::now() + kMostWait, [this, ticket] {
    auto node = pending_.extract(ticket);
    if (node.empty()) return;
    refuse_with(node.mapped(), kStillBuilding, "still building the catalogue; retry later");
  });
  for_catalogue_.emplace_back([this, ticket, params = params_of(message), credential] {
    auto node = pending_.extract(ticket);
    if (node.empty()) return;
    poller_.cancel(node.mapped().timer);
    ClientMessage again;
    again.method = node.mapped().method;
    again.has_params = waited_.parse(params).get(again.params) == simdjson::SUCCESS;
    dispatch(std::move(node.mapped()), again, credential, ticket);
  });
  return ticket;
}

void Service::catalogue_is_there() {
  has_catalogue_ = true;
  for (const auto& serve : std::exchange(for_catalogue_, {})) serve();
}

// --- requests that need no tool ----------------------------------------------------------------

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

// --- answers -----------------------------------------------------------------------------------

void Service::answer(Pending& pending, std::string_view members, std::optional<CacheHint> hint) {
  std::string text = writer_.open(pending.id, *pending.era);
  text.append(members).append(writer_.close(*pending.era, hint, members.empty()));
  respond(pending, {.ending = Ending::ok, .body = std::move(text)});
}

void Service::refuse_with(Pending& pending, std::int64_t code, std::string message, Ending ending) {
  Reply reply = refuse(pending.id, {.code = code, .message = std::move(message), .data = {}});
  reply.ending = ending;
  respond(pending, std::move(reply));
}

void Service::record(const Pending& pending, Ending ending) {
  stats_.request_ended(pending.method, ending);
  if (telemetry_)
    telemetry_->record({.method = pending.method,
                        .tool = pending.tool,
                        .ending = ending,
                        .begin = pending.began,
                        .end = os::now()});
}

void Service::respond(Pending& pending, Reply reply) {
  // Before the answer goes: whoever has it may count on finding nothing held any more.
  pending.burden.reset();
  pending.place.reset();
  if (options_.weights.id_last) reply.body = with_id_last(reply.body);
  record(pending, reply.ending);
  pending.respond(std::move(reply));
}

void Service::abandon(Ticket ticket) {
  auto node = pending_.extract(ticket);
  if (node.empty()) return;
  poller_.cancel(node.mapped().timer);
  upstream_.cancel(node.mapped().upstream_call);
  if (dialogue_) dialogue_->abandon(ticket);
  gate_.leave(node.mapped().waiter);
  record(node.mapped(), Ending::abandoned);
}

void Service::flush_telemetry() {
  if (telemetry_) telemetry_->flush();
}

}  // namespace weighbridge::reference

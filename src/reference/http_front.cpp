#include "reference/http_front.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/words.h"
#include "os/real_clock.h"
#include "protocol/server_json.h"
#include "reference/http_call.h"
#include "reference/paced_reply.h"
#include "reference/program.h"
#include "reference/refusals.h"

namespace weighbridge::reference {
namespace {

using transport::find_header;
using transport::Headers;
using transport::HttpRequest;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kEvents = "text/event-stream";
constexpr std::string_view kSessionHeader = "Mcp-Session-Id";

Headers content(std::string_view type) {
  return {{"Content-Type", std::string(type)}};
}

/// `type/subtype` of a header that may go on with parameters.
std::string_view media_type(std::string_view value) {
  return trim(value.substr(0, value.find(';')));
}

/// ISO 8601. By the C library: fmt's dates bring the whole of iostreams with them.
std::string utc_now() {
  const time_t now = ::time(nullptr);
  tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const auto size = ::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

/// By its version header: the era without sessions has no use for their headers either.
bool is_stateless(const HttpRequest& request) {
  const auto version = find_header(request.headers, "MCP-Protocol-Version");
  const auto* const era = version ? protocol::find_era(*version) : nullptr;
  return era != nullptr && !era->sessions;
}

Credential credential_of(const HttpRequest& request) {
  return read_credential(find_header(request.headers, "PRIVATE-TOKEN").value_or(""),
                         find_header(request.headers, "Authorization").value_or(""));
}

std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.rfind(':'));
}

}  // namespace

bool accepts(std::optional<std::string_view> header, std::string_view type) {
  if (!header) return true;
  return std::ranges::any_of(split(*header, ','), [&](const std::string& part) {
    const auto range = media_type(part);
    return range == "*/*" || equals_ignoring_case(range, type) ||
           (range.ends_with("/*") && type.starts_with(range.substr(0, range.size() - 1)));
  });
}

bool is_loopback_authority(std::string_view authority) {
  const auto host = host_of(authority);
  const bool is_number = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return equals_ignoring_case(host, "localhost") || host == "[::1]" ||
         (host.starts_with("127.") && is_number);
}

HttpFront::HttpFront(os::Poller& poller, Service& service)
    : poller_(poller),
      service_(service),
      intake_(service),
      pacer_(poller, service.options().weights, service.stats().weights),
      sessions_(service.stats()),
      started_at_(utc_now()) {
  if (!service.options().stateless) sweep_sessions();
}

HttpFront::~HttpFront() {
  poller_.cancel(sweep_timer_);
}

Result<std::unique_ptr<HttpFront>> HttpFront::listen(os::Poller& poller, Service& service,
                                                     const Endpoint& endpoint) {
  std::unique_ptr<HttpFront> front(new HttpFront(poller, service));
  transport::HttpServer::Options options;
  options.address = endpoint.address;
  options.port = endpoint.port;
  if (service.options().weights.connection_bytes > 0)
    options.keep_for_connection = [&service] { return service.weigher().burden_of_connection(); };
  WB_TRY(front->server_,
         transport::HttpServer::listen(
             poller, options, [front = front.get()](HttpRequest&& request, ReplyPtr reply) {
               front->handle(request, reply);
             }));
  return front;
}

void HttpFront::drain() {
  draining_ = true;
  server_->stop_accepting();
  if (service_.dialogue() != nullptr) service_.dialogue()->end_listening();
  sessions_.let_go();
}

/// Ends sessions at most a quarter of the timeout late.
void HttpFront::sweep_sessions() {
  const Duration timeout = service_.options().session_timeout;
  for (auto& burden : sessions_.expire_unused_since(os::now() - timeout))
    service_.weigher().session_abandoned(std::move(burden));
  sweep_timer_ = poller_.at(os::now() + std::clamp<Duration>(timeout / 4, 50ms, 1min),
                            [this] { sweep_sessions(); });
}

// --- what is asked -----------------------------------------------------------------------------

void HttpFront::handle(const HttpRequest& request, const ReplyPtr& reply) {
  if (request.path() == "/health") {
    if (request.method != "GET" && request.method != "HEAD") return refuse(reply, 405, "GET only");
    auto headers = content(kJson);
    headers.push_back({"Cache-Control", "no-store"});
    return reply->send(draining_ ? 503 : 200, headers, render_health());
  }
  if (request.path() != "/mcp") return refuse(reply, 404, "there is only /mcp and /health");
  if (!is_ours(request)) return refuse(reply, 403, "this host or origin may not ask here");
  if (request.method == "POST" && service_.options().verify) return verify(request, reply);
  if (request.method == "POST") return post(request, reply);
  const bool sessions = !service_.options().stateless && !is_stateless(request);
  if (request.method == "DELETE" && sessions) return end_session(request, reply);
  if (request.method == "GET" && sessions) return listen_on(request, reply);
  service_.stats().refused();
  reply->send(405, {{"Allow", sessions ? "GET, POST, DELETE" : "POST"}}, {});
}

/// A page in a browser must not reach a server on its reader's own machine, under whatever name it
/// makes that machine answer (DNS rebinding).
bool HttpFront::is_ours(const HttpRequest& request) const {
  if (service_.options().allow_remote) return true;
  const auto origin = find_header(request.headers, "Origin");
  if (origin) {
    const auto scheme = origin->find("://");
    if (scheme == std::string_view::npos || !is_loopback_authority(origin->substr(scheme + 3)))
      return false;
  }
  const auto host = find_header(request.headers, "Host");
  return host && is_loopback_authority(*host);
}

/// Only callers whom GitLab knows come through, and whoever failed too often is not even asked
/// about for a while.
void HttpFront::verify(const HttpRequest& request, const ReplyPtr& reply) {
  if (failures_.blocks(request.peer, os::now()))
    return refuse(reply, 429, "too many failed authentications; retry later");
  const auto credential = credential_of(request);
  if (credential.kind == Credential::Kind::none) return unauthorized(request, reply);
  service_.stand(credential, [this, request, reply](Standing standing) {
    if (standing == Standing::good) return post(request, reply);
    if (standing == Standing::refused) return unauthorized(request, reply);
    ++service_.stats().limits.busy;
    refuse(reply, 503, kBusyText);
  });
}

void HttpFront::unauthorized(const HttpRequest& request, const ReplyPtr& reply) {
  failures_.add(request.peer, os::now());
  ++service_.stats().limits.unauthorized;
  refuse(reply, 401, "GitLab does not know this credential");
}

void HttpFront::post(const HttpRequest& request, const ReplyPtr& reply) {
  const auto& headers = request.headers;
  auto& stats = service_.stats();
  stats.bytes_received += request.body.size();
  if (media_type(find_header(headers, "Content-Type").value_or("")) != kJson)
    return refuse(reply, 415, "Content-Type must be application/json");
  const auto accept = find_header(headers, "Accept");
  if (!accepts(accept, kJson) || !accepts(accept, kEvents))
    return refuse(reply, 406, "Accept must cover application/json and text/event-stream");

  const auto credential = credential_of(request);
  const protocol::RequestHeaders said{
      .version = find_header(headers, "MCP-Protocol-Version"),
      .method = find_header(headers, "Mcp-Method"),
      .name = find_header(headers, "Mcp-Name"),
      .find = [&headers](std::string_view name) { return find_header(headers, name); }};
  const auto session_id =
      is_stateless(request) ? std::nullopt : find_header(headers, kSessionHeader);
  const Sessions::Session* session = nullptr;
  if (!service_.options().stateless && session_id) {
    session = sessions_.find(*session_id, credential.digest(), os::now());
    if (session == nullptr) return refuse(reply, 404, "there is no such session");
  }
  const ReplyPtr way = pacer_.paces() ? std::make_shared<PacedReply>(pacer_, reply) : reply;
  const auto call =
      std::make_shared<HttpCall>(service_, way, session != nullptr ? session->streams : nullptr,
                                 session != nullptr && session->conversation->era->priming_events);
  const Intake::Context context{
      .headers = &said,
      .asker = {.credential = &credential,
                .caller = call,
                .conversation = session != nullptr ? session->conversation : nullptr},
      .needs_session = !service_.options().stateless && session == nullptr,
      .sessions_full =
          !service_.options().stateless && sessions_.size() >= service_.session_ceiling(),
      .on_initialize =
          [&, this](const std::shared_ptr<Conversation>& opened) {
            if (!service_.options().stateless)
              call->opened_session(sessions_.open(opened, credential.digest(), os::now(),
                                                  service_.weigher().burden_of_session()));
          },
      .on_pending = [&](const std::string& /*id*/,
                        Service::Ticket ticket) { call->waits_for(ticket); },
      .on_cancelled = {},
  };
  intake_.take(request.body, context,
               [call](Handled handled) { call->answer(std::move(handled)); });
  call->watch_caller();
}

/// GET: news that belong to no request, or the rest of a stream that was lost (25-11/transports).
void HttpFront::listen_on(const HttpRequest& request, const ReplyPtr& reply) {
  const auto accept = find_header(request.headers, "Accept");
  if (!accepts(accept, kEvents)) return refuse(reply, 406, "Accept must cover text/event-stream");
  const auto id = find_header(request.headers, kSessionHeader);
  if (!id) return refuse(reply, 400, "the header Mcp-Session-Id is missing");
  const auto* const session = sessions_.find(*id, credential_of(request).digest(), os::now());
  if (session == nullptr) return refuse(reply, 404, "there is no such session");
  auto& streams = *session->streams;
  if (const auto last = find_header(request.headers, "Last-Event-ID")) {
    const auto at = EventStream::read_id(*last);
    const auto stream = at ? streams.find(at->stream) : nullptr;
    if (!stream || !stream->can_resume_after(at->event))
      return refuse(reply, 400, "this session has nothing left to send after that event");
    return stream->attach(reply, at->event);
  }
  if (streams.standing && streams.standing->attached())
    return refuse(reply, 409, "this session has such a stream already");
  streams.standing = streams.open(session->conversation->era->priming_events);
  streams.standing->attach(reply);
}

void HttpFront::end_session(const HttpRequest& request, const ReplyPtr& reply) {
  const auto id = find_header(request.headers, kSessionHeader);
  if (!id) return refuse(reply, 400, "the header Mcp-Session-Id is missing");
  if (!sessions_.close(*id, credential_of(request).digest()))
    return refuse(reply, 404, "there is no such session");
  reply->send(204, {}, {});
}

// --- what is answered --------------------------------------------------------------------------

/// The code of a gate's refusal is its status a hundred times below zero.
void HttpFront::refuse(const ReplyPtr& reply, int status, std::string_view why) {
  service_.stats().refused();
  auto headers = content(kJson);
  if (status == 401) headers.push_back({"WWW-Authenticate", "Bearer"});
  if (status == 503) {
    headers.push_back({"Retry-After", "30"});
    reply->close_after();
  }
  reply->send(status, headers,
              protocol::ReplyWriter::error(
                  "null", {.code = -100 * status, .message = std::string(why), .data = {}}));
}

std::string HttpFront::render_health() const {
  std::string text = fmt::format(R"({{"status":"{}","version":"{}","commit":)",
                                 draining_ ? "draining" : "ok", program_version());
  protocol::append_quoted(text, program_commit());
  const auto uptime = to_seconds(os::now() - service_.stats().started());
  return text + fmt::format(R"(,"build":"{}","started_at":"{}",)"
                            R"("uptime_seconds":{:.3f},"surface":"{}"}})",
                            program_build(), started_at_, uptime,
                            to_string(service_.options().surface));
}

}  // namespace weighbridge::reference

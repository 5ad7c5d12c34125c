#include "reference/upstream.h"

#include <fmt/format.h>

#include <utility>

#include "base/units.h"
#include "os/real_clock.h"

namespace weighbridge::reference {
namespace {

/// An answer is held whole before it is passed on, so one without end must not take the memory.
constexpr std::size_t kMostAnswerBytes = 64 * 1024 * 1024;

std::string root_of(std::string_view target) {
  while (target.ends_with('/')) target.remove_suffix(1);
  if (target.ends_with("/api/v4")) target.remove_suffix(std::string_view("/api/v4").size());
  return std::string(target);
}

transport::Headers headers_for(const UpstreamRequest& request, const Credential& credential) {
  transport::Headers headers{{"Accept", "*/*"}, {"User-Agent", "weighbridge-reference-server"}};
  if (credential.kind == Credential::Kind::private_token)
    headers.push_back({"PRIVATE-TOKEN", credential.token});
  if (credential.kind == Credential::Kind::bearer)
    headers.push_back({"Authorization", "Bearer " + credential.token});
  if (!request.content_type.empty()) headers.push_back({"Content-Type", request.content_type});
  return headers;
}

}  // namespace

class Upstream::Exchange final : public transport::HttpSink {
 public:
  Exchange(Upstream& owner, CallId call, OnAnswer on_answer)
      : on_answer_(std::move(on_answer)), owner_(owner), call_(call) {}

  void on_head(int status, const transport::Headers& headers) override {
    answer_.status = status;
    answer_.headers = headers;
  }
  void on_body(std::string_view piece, Instant /*at*/) override {
    if (answer_.body.size() + piece.size() <= kMostAnswerBytes) {
      answer_.body += piece;
      return;
    }
    owner_.client_.cancel(request);
    owner_.finish(call_,
                  fail(ErrorCode::malformed, fmt::format("GitLab's answer is larger than {}",
                                                         format_size_binary(kMostAnswerBytes))));
  }
  void on_complete(const transport::ExchangeTimes& /*times*/) override {
    owner_.finish(call_, std::move(answer_));
  }
  void on_failure(const Error& error) override { owner_.finish(call_, std::unexpected(error)); }

  transport::HttpClient::RequestId request = 0;
  os::Poller::TimerId deadline = 0;

  OnAnswer take_handler() { return std::move(on_answer_); }

 private:
  OnAnswer on_answer_;
  Upstream& owner_;
  CallId call_;
  UpstreamAnswer answer_;
};

Upstream::Upstream(os::Poller& poller, transport::Url url, transport::Way way, Limits limits,
                   Stats& stats)
    : poller_(poller),
      url_(fmt::format("{}://{}{}", url.scheme, url.authority(),
                       url.target == "/" ? "" : url.target)),
      root_(root_of(url.target)),
      prefix_(root_ + "/api/v4"),
      limits_(limits),
      stats_(stats),
      client_(poller, std::move(url), limits.connections, std::move(way)) {}

Upstream::~Upstream() {
  while (!exchanges_.empty()) cancel(exchanges_.begin()->first);
}

Upstream::CallId Upstream::call(const UpstreamRequest& request, const Credential& credential,
                                OnAnswer on_answer) {
  const CallId call = next_++;
  ++stats_.upstream_calls;
  auto& exchange = exchanges_[call];
  exchange = std::make_unique<Exchange>(*this, call, std::move(on_answer));
  exchange->request = client_.send(
      transport::render_request(
          request.method, (request.beside_api ? root_ : prefix_) + request.target,
          client_.server().authority(), headers_for(request, credential), request.body),
      *exchange);
  exchange->deadline = poller_.at(os::now() + limits_.timeout, [this, call] {
    ++stats_.upstream_timeouts;
    finish(call, fail(ErrorCode::timeout, fmt::format("GitLab did not answer within {}",
                                                      format_duration(limits_.timeout))));
  });
  return call;
}

void Upstream::cancel(CallId call) {
  const auto found = exchanges_.find(call);
  if (found == exchanges_.end()) return;
  poller_.cancel(found->second->deadline);
  client_.cancel(found->second->request);
  exchanges_.erase(found);
}

void Upstream::finish(CallId call, Result<UpstreamAnswer> answer) {
  const auto found = exchanges_.find(call);
  if (found == exchanges_.end()) return;
  // Kept to the end: this may be running within one of its own calls.
  const std::unique_ptr<Exchange> exchange = std::move(found->second);
  exchanges_.erase(found);
  poller_.cancel(exchange->deadline);
  client_.cancel(exchange->request);  // nothing to do when it is over
  if (!answer) ++stats_.upstream_failures;
  if (answer && answer->status >= 400) ++stats_.upstream_errors;
  if (const auto on_answer = exchange->take_handler()) on_answer(std::move(answer));
}

}  // namespace weighbridge::reference

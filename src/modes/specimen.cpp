#include "modes/specimen.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/words.h"
#include "os/interrupt.h"
#include "os/real_clock.h"
#include "transport/http_client.h"

namespace weighbridge::modes {
namespace {

using Json = nlohmann::json;

constexpr Duration kPatience = 10s;
constexpr Duration kSampleInterval = 100ms;
/// A connection is open for us before the server has taken it from its backlog; without a rest the
/// first calls of a phase would wait for hundreds of others to be taken.
constexpr Duration kAccepting = 30ms;

/// The whole of one GET.
class Page final : public transport::HttpSink {
 public:
  void on_head(int status, const transport::Headers& /*headers*/) override { status_ = status; }
  void on_body(std::string_view piece, Instant /*at*/) override { body_ += piece; }
  void on_complete(const transport::ExchangeTimes& /*times*/) override { ended_ = true; }
  void on_failure(const Error& error) override {
    error_ = error;
    ended_ = true;
  }
  [[nodiscard]] bool ended() const { return ended_; }
  Result<std::string> take(const std::string& where) {
    if (error_) return std::unexpected(error_->within(where));
    if (!ended_) return fail(ErrorCode::timeout, "the server did not tell what it did", where);
    if (status_ != 200) return fail(ErrorCode::run, fmt::format("status {}", status_), where);
    return std::move(body_);
  }

 private:
  int status_ = 0;
  std::string body_;
  std::optional<Error> error_;
  bool ended_ = false;
};

/// The server says on stderr where it tells what it did: with port 0 it alone knows.
Result<transport::Url> stats_url(const std::string& words) {
  constexpr std::string_view kLead = "telling what it did at ";
  const auto at = words.find(kLead);
  if (at == std::string::npos)
    return fail(ErrorCode::target, "the reference server does not say where it tells what it did",
                {}, "Is it of the same version as weighbridge? Name it with --server PATH");
  const auto begin = at + kLead.size();
  return transport::parse_url(trim(words.substr(begin, words.find('\n', begin) - begin)));
}

std::unexpected<Error> not_told(const std::string& pointer) {
  return fail(ErrorCode::malformed, fmt::format("the reference server does not tell {}", pointer),
              "--stats", "Is it of the same version as weighbridge? Name it with --server PATH");
}

std::string params_of(const std::string& arguments) {
  return fmt::format(R"({{"name":"null","arguments":{}}})", arguments);
}

}  // namespace

plan::Plan specimen_plan(const std::string& server) {
  plan::Plan plan;
  plan.name = "calibration";
  plan::HttpTarget& http = plan.http.emplace();
  http.command = {server, "--http=127.0.0.1:{port}", "--stats=127.0.0.1:0"};
  http.url = "http://127.0.0.1:{port}/mcp";
  http.ready = "/health";
  http.credential = plan::Credential{
      .header = "PRIVATE-TOKEN", .environment = {}, .value = "calibration-{credential}"};
  plan.variants.push_back({.name = "default", .args = {}, .env = {}, .call = {}});
  plan.run.ready_timeout = kPatience;
  plan.run.sample_interval = kSampleInterval;
  return plan;
}

load::Operation null_call(const std::string& arguments) {
  load::Operation operation;
  operation.method = "tools/call";
  operation.name = "null";
  operation.params = {params_of(arguments)};
  return operation;
}

Truth::Truth(std::string json, Instant asked)
    : json_(std::make_unique<Json>(Json::parse(json, nullptr, /*allow_exceptions=*/false))),
      asked_(asked) {}
Truth::~Truth() = default;
Truth::Truth(Truth&&) noexcept = default;
Truth& Truth::operator=(Truth&&) noexcept = default;

Result<double> Truth::number(const std::string& pointer) const {
  const Json::json_pointer place(pointer);
  if (!json_->contains(place) || !json_->at(place).is_number()) return not_told(pointer);
  return json_->at(place).get<double>();
}

Result<std::vector<double>> Truth::numbers(const std::string& pointer) const {
  const Json::json_pointer place(pointer);
  if (!json_->contains(place) || !json_->at(place).is_array()) return not_told(pointer);
  std::vector<double> values;
  for (const Json& value : json_->at(place))
    values.push_back(value.is_number() ? value.get<double>() : 0);
  return values;
}

Result<Instant> Truth::server_start() const {
  WB_TRY(const double age, number("/server/uptime_seconds"));
  return asked_ - from_seconds(age);
}

Result<std::vector<Truth::Span>> Truth::freezes() const {
  WB_TRY(const Instant start, server_start());
  WB_TRY(const double count, number("/weights/freeze/count"));
  std::vector<Span> spans;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const std::string at = fmt::format("/weights/freeze/freezes/{}", i);
    WB_TRY(const double after, number(at + "/after_start_ns"));
    WB_TRY(const double length, number(at + "/length_ns"));
    const Instant begin = start + Duration(static_cast<std::int64_t>(after));
    spans.push_back({begin, begin + Duration(static_cast<std::int64_t>(length))});
  }
  return spans;
}

Result<std::unique_ptr<Specimen>> Specimen::start(Lab& lab,
                                                  const std::vector<std::string>& weights) {
  std::unique_ptr<Specimen> specimen(new Specimen(lab));
  WB_CHECK(specimen->begin(weights));
  return specimen;
}

Result<void> Specimen::begin(const std::vector<std::string>& weights) {
  variant_ = lab_.plan().variants.front();
  variant_.args = weights;
  const ScenarioSpec spec{"calibration", Transport::http, &variant_, false, 1};
  WB_TRY(supervisor_, lab_.new_supervisor());
  WB_TRY(deployment_, lab_.deploy(*supervisor_, spec, nullptr));
  WB_TRY(sampler_, sampling::Sampler::start({supervisor_.get(), {}}, kSampleInterval));
  WB_TRY(const target::Started started, deployment_->start());
  ready_ = *started.ready - *started.before_spawn;
  return {};
}

Specimen::~Specimen() {
  engine_.reset();
  sessions_.clear();
  if (sampler_) sampler_->stop();
  if (deployment_) deployment_->stop();
}

Result<client::Session*> Specimen::attach() {
  client::SessionOptions options;
  options.era = &protocol::newest_era();
  WB_TRY(target::Attached attached, deployment_->attach(attached_++, options));
  sessions_.push_back(std::move(attached.session));
  return sessions_.back().get();
}

Result<void> Specimen::call(client::Session& session, const std::string& arguments) {
  const client::Reply reply =
      session.call({"tools/call", params_of(arguments), "null"}, os::now() + kPatience);
  if (reply.error) return std::unexpected(*reply.error);
  if (protocol::judge(reply.facts(/*tool_call=*/true), {}, {}).outcome == protocol::Outcome::served)
    return {};
  return fail(ErrorCode::run, "the reference server did not serve a call: " + reply.message);
}

Result<void> Specimen::open_engine(int credentials, int parallel) {
  engine_.reset();
  const auto slots = static_cast<std::size_t>(parallel);
  WB_CHECK(load::make_room(static_cast<std::size_t>(credentials), slots, /*over_http=*/true));
  client::SessionOptions options;
  options.era = &protocol::newest_era();
  std::vector<load::Caller> callers;
  for (int i = 0; i < credentials; ++i) {
    WB_TRY(const target::Attached attached, deployment_->attach(attached_++, options));
    attached.session->close_idle();
    callers.push_back({options.era, attached.access, attached.session->session_id(), {}});
  }
  load::EngineOptions engine;
  engine.parallel = slots;
  WB_TRY(engine_, load::Engine::open(std::move(callers), engine));
  lab_.rest(kAccepting);
  return {};
}

Result<load::PhaseOutcome> Specimen::load(load::Spec spec) {
  WB_TRY(load::PhaseOutcome outcome,
         engine_->run(spec, lab_.poller(), [](const auto&) { return !os::interrupted(); }));
  if (os::interrupted()) return fail(ErrorCode::interrupted, "interrupted");
  const std::uint64_t served = outcome.of(protocol::Outcome::served);
  if (served == 0 || served != outcome.sent() || outcome.missed > 0)
    return fail(ErrorCode::run,
                fmt::format("the reference server served {} of {} calls, {} were missed", served,
                            outcome.sent(), outcome.missed),
                {}, outcome.troubles.empty() ? "" : outcome.troubles.front().first_text);
  return outcome;
}

Result<Truth> Specimen::truth() {
  WB_TRY(const transport::Url url, stats_url(deployment_->last_words()));
  transport::HttpClient client(lab_.poller(), url, 1);
  Page page;
  const Instant asked = os::now();
  const auto request =
      client.send(transport::render_request("GET", url.target, url.authority(), {}, {}), page);
  lab_.poller().run_until([&] { return page.ended(); }, os::now() + kPatience);
  client.cancel(request);
  WB_TRY(std::string body, page.take("--stats"));
  return Truth(std::move(body), asked);
}

}  // namespace weighbridge::modes

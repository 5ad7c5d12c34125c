#include <fmt/format.h>

#include <csignal>
#include <optional>

#include "base/words.h"
#include "os/network.h"
#include "os/real_clock.h"
#include "target/deployment.h"
#include "target/detail/launch.h"
#include "target/detail/readiness.h"
#include "transport/openssl_tls.h"
#include "transport/url.h"

namespace weighbridge::target {
namespace {

using detail::Launched;

constexpr Duration kGrace = 5s;
constexpr int kAttempts = 3;

void add_to_query(transport::Url& url, const std::string& name, const std::string& value) {
  const char* const separator = url.target.find('?') == std::string::npos ? "?" : "&";
  url.target += separator + percent_encoded(name) + "=" + percent_encoded(value);
}

/// TLS and proxy as the plan has them. Made once: the system's certificates take milliseconds to
/// read.
Result<transport::Way> way_of(const Configuration& configuration) {
  const plan::HttpTarget& http = *configuration.plan->http;
  transport::Way way;
  if (!http.proxy.empty()) {
    WB_TRY(way.proxy, transport::parse_url(http.proxy));
  }
  if (!http.url.starts_with("https:")) return way;
  WB_TRY(const std::string ca_file,
         plan::fill(http.ca_file, detail::common_placeholders(configuration)));
  WB_TRY(way.tls, transport::open_tls({.ca_file = ca_file, .insecure = http.insecure}));
  return way;
}

class HttpDeployment final : public Deployment {
 public:
  HttpDeployment(os::Supervisor& supervisor, os::Poller& poller, const Configuration& configuration,
                 transport::Way way)
      : supervisor_(supervisor),
        poller_(poller),
        configuration_(configuration),
        way_(std::move(way)) {}
  ~HttpDeployment() override { stop(); }

  Result<Started> start() override {
    if (attached()) {
      WB_TRY(const std::string text,
             plan::fill(target().url, detail::common_placeholders(configuration_)));
      WB_TRY(url_, transport::parse_url(text));
      return Started{};
    }
    const bool picks_port = uses_port();
    std::optional<Error> lost;
    for (int attempt = 1; attempt <= kAttempts; ++attempt) {
      WB_TRY(const bool spawned, spawn(picks_port));
      (void)spawned;
      auto ready = wait_until_ready();
      if (ready) return Started{process_->child.before_spawn, *ready, attempt};
      // Only a port that somebody else took in the meantime is worth another try; a server that is
      // simply broken would fail three times and triple the wait for its message.
      if (!picks_port || !supervisor_.exited(process_->child.pid) || !port_taken()) {
        return std::unexpected(ready.error());
      }
      lost = ready.error();
    }
    return std::unexpected(*lost);
  }

  Result<Attached> attach(int client, const client::SessionOptions& options) override {
    WB_TRY(client::HttpAccess access, access_for(client));
    Attached result;
    result.access = access;
    result.session = client::Session::over_http(poller_, std::move(access), options);
    const Instant begun = os::now();
    if (const auto opened =
            result.session->open(os::now() + configuration_.plan->run.ready_timeout);
        !opened) {
      return std::unexpected(explained(opened.error()));
    }
    result.open = os::now() - begun;
    return result;
  }

  Result<client::Detected> detect(const protocol::Era* asked,
                                  const client::SessionOptions& options) override {
    WB_TRY(const client::HttpAccess access, access_for(0));
    auto detected = client::detect_over_http(poller_, access, asked, options,
                                             os::now() + configuration_.plan->run.ready_timeout);
    if (!detected) return std::unexpected(explained(detected.error()));
    return detected;
  }

  Stopped stop() override {
    Stopped stopped;
    if (!process_) return stopped;
    stopped.died = died();
    stopped.ended =
        detail::end_processes(supervisor_, poller_, {process_->child.pid}, /*patience=*/0s, kGrace);
    words_ = detail::last_words(*process_->output);
    process_.reset();
    return stopped;
  }

  [[nodiscard]] std::vector<std::string> died() const override {
    if (!process_) return {};
    const auto exited = supervisor_.exited(process_->child.pid);
    if (!exited) return {};
    return {fmt::format("the server ({})", detail::how_it_ended(*exited))};
  }
  [[nodiscard]] std::string last_words() const override {
    return process_ ? detail::last_words(*process_->output) : words_;
  }
  [[nodiscard]] std::vector<std::string> command() const override { return command_; }
  [[nodiscard]] std::string channel() const override { return "tcp"; }
  [[nodiscard]] const TargetEnvironment& environment() const override { return environment_; }

 private:
  [[nodiscard]] const plan::HttpTarget& target() const { return *configuration_.plan->http; }
  [[nodiscard]] bool attached() const { return target().command.empty(); }
  [[nodiscard]] bool uses_port() const { return target().url.find("{port}") != std::string::npos; }

  Result<bool> spawn(bool picks_port) {
    plan::Placeholders values = detail::common_placeholders(configuration_);
    values.emplace("credential", "0");
    if (picks_port) {
      WB_TRY(const std::uint16_t port, os::free_loopback_port());
      values["port"] = std::to_string(port);
    }
    WB_TRY(const std::string text, plan::fill(target().url, values));
    WB_TRY(url_, transport::parse_url(text));
    if (!picks_port && port_taken()) {
      return fail(ErrorCode::target, fmt::format("port {} is in use already", url_.port),
                  target().url,
                  "End the process that listens there, or write {port} in the url and the command "
                  "to have a free one "
                  "picked");
    }
    os::SpawnRequest request;
    WB_TRY(command_, detail::full_command(target().command, configuration_, values));
    WB_TRY(environment_, detail::full_environment(target().env, configuration_, values));
    WB_TRY(request.directory, plan::fill(target().directory, values));
    request.argv = command_;
    request.environment = environment_.entries;
    request.cpus = configuration_.cpus;
    WB_TRY(Launched process, detail::launch(supervisor_, poller_, request, /*stdout_too=*/true));
    process_.emplace(std::move(process));
    return true;
  }

  Result<Instant> wait_until_ready() {
    const Instant deadline = process_->child.before_spawn + configuration_.plan->run.ready_timeout;
    detail::ReadinessQuestion question{
        target().ready, configuration_.era, {}, configuration_.dialect};
    if (target().ready.empty() && configuration_.era != nullptr) {
      WB_TRY(question.access, access_for(0));
    } else {
      question.access.url = url_;
      question.access.way = way_;
    }
    const auto gone = [this] { return supervisor_.exited(process_->child.pid).has_value(); };
    auto ready = detail::wait_until_ready(poller_, question, gone, deadline);
    if (ready) return ready;
    return std::unexpected(explained(ready.error()));
  }

  /// Somebody answers on the port although our process does not hold it.
  bool port_taken() {
    auto listener = os::listen_tcp(url_.host == "localhost" ? "127.0.0.1" : url_.host, url_.port);
    return !listener && listener.error().system_errno == EADDRINUSE;
  }

  Result<client::HttpAccess> access_for(int client) {
    plan::Placeholders values = detail::common_placeholders(configuration_);
    values["credential"] = std::to_string(client);
    client::HttpAccess access;
    access.url = url_;
    access.way = way_;
    access.max_connections = static_cast<std::size_t>(configuration_.variant->parallel);
    for (const auto& [name, value] : target().headers) {
      WB_TRY(std::string filled, plan::fill(value, values));
      access.headers.push_back({name, std::move(filled)});
    }
    if (target().credential) {
      WB_TRY(std::string filled, plan::fill(target().credential->value, values));
      if (const std::string& name = target().credential->query; !name.empty())
        add_to_query(access.url, name, filled);
      else
        access.headers.push_back({target().credential->header, std::move(filled)});
    }
    return access;
  }

  Error explained(const Error& error) {
    if (!process_) {
      Error outer = error;
      outer.code = ErrorCode::target;
      if (outer.where.empty()) outer.where = target().url;
      return outer;
    }
    return detail::explain(error, supervisor_, poller_, *process_, detail::joined(command_));
  }

  os::Supervisor& supervisor_;
  os::Poller& poller_;
  Configuration configuration_;
  transport::Way way_;
  transport::Url url_;
  std::vector<std::string> command_;
  TargetEnvironment environment_;
  std::optional<Launched> process_;
  std::string words_;
};

}  // namespace

Result<std::unique_ptr<Deployment>> deploy_http(os::Supervisor& supervisor, os::Poller& poller,
                                                const Configuration& configuration) {
  WB_TRY(transport::Way way, way_of(configuration));
  return std::make_unique<HttpDeployment>(supervisor, poller, configuration, std::move(way));
}

}  // namespace weighbridge::target

#include "modes/lab.h"

#include <algorithm>
#include <utility>

#include "os/real_clock.h"

namespace weighbridge::modes {
namespace {

standin::UpstreamOptions upstream_options(const plan::Upstream& asked) {
  standin::UpstreamOptions options;
  options.delay = asked.delay;
  for (const plan::Route& route : asked.routes) {
    standin::Route scripted;
    scripted.method = route.method;
    scripted.path = route.path;
    scripted.status = route.status;
    scripted.body = route.body;
    scripted.body_bytes = route.body_bytes.value_or(0);
    for (const auto& [name, value] : route.headers) scripted.headers.push_back({name, value});
    scripted.delay = route.delay;
    options.routes.push_back(std::move(scripted));
  }
  return options;
}

}  // namespace

Result<std::unique_ptr<Lab>> Lab::open(const plan::Plan& plan, std::string supervisor_program) {
  std::unique_ptr<Lab> lab(new Lab(plan, std::move(supervisor_program)));
  // What the target inherits it can also print, in its last words or in a failure's text.
  for (const std::string& entry : target::own_environment()) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos && plan::Redactor::tells_of_secret(entry.substr(0, equals)))
      lab->redactor_.add_secret(entry.substr(equals + 1));
  }
  WB_TRY(lab->poller_, os::Poller::create());
  if (plan.upstream) {
    WB_TRY(lab->upstream_, standin::Upstream::start(upstream_options(*plan.upstream)));
  }
  if (plan.otlp) {
    WB_TRY(lab->collector_, standin::Collector::start());
  }
  return lab;
}

Duration Lab::standin_cpu() const {
  Duration total{};
  if (upstream_) total += upstream_->cpu();
  if (collector_) total += collector_->cpu();
  return total;
}

Result<std::unique_ptr<os::Supervisor>> Lab::new_supervisor() const {
  return os::Supervisor::start(program_);
}

Result<std::unique_ptr<target::Deployment>> Lab::deploy(os::Supervisor& supervisor,
                                                        const ScenarioSpec& spec,
                                                        const protocol::Era* era,
                                                        client::HttpDialect dialect,
                                                        const std::vector<int>& cpus) {
  target::Configuration configuration;
  configuration.plan = &plan_;
  configuration.variant = spec.variant;
  configuration.mode_args = plan_.run.args;
  configuration.mode_env = plan_.run.env;
  configuration.max_credentials = spec.clients;
  configuration.era = era;
  configuration.dialect = dialect;
  configuration.cpus = cpus;
  if (upstream_) configuration.upstream_url = upstream_->url();
  if (spec.telemetry) {
    configuration.otlp_url = collector_->url();
    configuration.mode_args.insert(configuration.mode_args.end(), plan_.otlp->args.begin(),
                                   plan_.otlp->args.end());
    for (const auto& [name, value] : plan_.otlp->env) configuration.mode_env[name] = value;
  }
  return spec.transport == Transport::stdio
             ? target::deploy_stdio(supervisor, *poller_, configuration)
             : target::deploy_http(supervisor, *poller_, configuration);
}

void Lab::rest(Duration span) {
  poller_->run_until([] { return false; }, os::now() + span);
}

Error Lab::redact(Error error) const {
  error.what = redactor_(error.what);
  error.where = redactor_(error.where);
  error.remedy = redactor_(error.remedy);
  return error;
}

}  // namespace weighbridge::modes

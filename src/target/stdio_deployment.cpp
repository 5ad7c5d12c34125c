#include <fmt/format.h>

#include "os/network.h"
#include "os/real_clock.h"
#include "target/deployment.h"
#include "target/detail/launch.h"

namespace weighbridge::target {
namespace {

using detail::Launched;

/// How long a server that lost its stdin may take to end by itself, and then after SIGTERM. Node
/// servers were seen to take up to two seconds.
constexpr Duration kPatience = 3s;
constexpr Duration kGrace = 2s;

class StdioDeployment final : public Deployment {
 public:
  StdioDeployment(os::Supervisor& supervisor, os::Poller& poller,
                  const Configuration& configuration, std::vector<std::string> command,
                  TargetEnvironment environment)
      : supervisor_(supervisor),
        poller_(poller),
        configuration_(configuration),
        command_(std::move(command)),
        environment_(std::move(environment)) {}
  ~StdioDeployment() override { stop(); }

  Result<Started> start() override { return Started{}; }

  Result<Attached> attach(int client, const client::SessionOptions& options) override {
    WB_TRY(auto channel, spawn(client));
    Attached attached;
    attached.child = processes_.back().child;
    attached.session = client::Session::over_stdio(poller_, std::move(channel), options);
    const Instant begun = os::now();
    if (const auto opened =
            attached.session->open(os::now() + configuration_.plan->run.ready_timeout);
        !opened) {
      return std::unexpected(detail::explain(opened.error(), supervisor_, poller_,
                                             processes_.back(), detail::joined(command_)));
    }
    attached.open = os::now() - begun;
    return attached;
  }

  Result<client::Detected> detect(const protocol::Era* asked,
                                  const client::SessionOptions& options) override {
    auto detected = client::detect_over_stdio(
        poller_, [this] { return spawn(0); }, asked, options,
        os::now() + configuration_.plan->run.ready_timeout);
    if (detected) return detected;
    if (processes_.empty()) return std::unexpected(detected.error());
    return std::unexpected(detail::explain(detected.error(), supervisor_, poller_,
                                           processes_.back(), detail::joined(command_)));
  }

  Stopped stop() override {
    Stopped stopped;
    if (stopped_) return stopped;
    stopped_ = true;
    stopped.died = died();
    std::vector<pid_t> pids;
    for (const Launched& process : processes_) pids.push_back(process.child.pid);
    stopped.ended = detail::end_processes(supervisor_, poller_, pids, kPatience, kGrace);
    return stopped;
  }

  [[nodiscard]] std::vector<std::string> died() const override {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      const auto exited = supervisor_.exited(processes_[i].child.pid);
      if (exited)
        names.push_back(
            fmt::format("client {}'s process ({})", i + 1, detail::how_it_ended(*exited)));
    }
    return names;
  }
  [[nodiscard]] std::string last_words() const override {
    for (const Launched& process : processes_) {
      if (supervisor_.exited(process.child.pid)) return detail::last_words(*process.output);
    }
    return processes_.empty() ? std::string() : detail::last_words(*processes_.back().output);
  }
  [[nodiscard]] std::vector<std::string> command() const override { return command_; }
  [[nodiscard]] std::string channel() const override {
    return configuration_.plan->stdio->pipes ? "pipe" : "socketpair";
  }
  [[nodiscard]] const TargetEnvironment& environment() const override { return environment_; }

 private:
  Result<std::unique_ptr<transport::StdioChannel>> spawn(int client) {
    const plan::StdioTarget& target = *configuration_.plan->stdio;
    plan::Placeholders values = detail::common_placeholders(configuration_);
    values["credential"] = std::to_string(client);
    plan::Environment env = target.env;
    if (target.credential) env[target.credential->environment] = target.credential->value;
    WB_TRY(environment_, detail::full_environment(env, configuration_, values));
    os::SpawnRequest request;
    WB_TRY(request.argv, detail::full_command(target.command, configuration_, values));
    request.environment = environment_.entries;
    request.cpus = configuration_.cpus;
    WB_TRY(request.directory, plan::fill(target.directory, values));
    WB_TRY(os::StdioPair ends,
           os::make_stdio(target.pipes ? os::StdioKind::pipe : os::StdioKind::socketpair));
    request.stdin_fd = ends.child_stdin.get();
    request.stdout_fd = ends.child_stdout.get();
    WB_TRY(Launched process, detail::launch(supervisor_, poller_, request, /*stdout_too=*/false));
    processes_.push_back(std::move(process));
    return std::make_unique<transport::StdioChannel>(poller_, std::move(ends.parent_write),
                                                     std::move(ends.parent_read));
  }

  os::Supervisor& supervisor_;
  os::Poller& poller_;
  Configuration configuration_;
  std::vector<std::string> command_;
  TargetEnvironment environment_;
  std::vector<Launched> processes_;
  bool stopped_ = false;
};

}  // namespace

Result<std::unique_ptr<Deployment>> deploy_stdio(os::Supervisor& supervisor, os::Poller& poller,
                                                 const Configuration& configuration) {
  plan::Placeholders values = detail::common_placeholders(configuration);
  values.emplace("credential", "0");
  WB_TRY(auto command,
         detail::full_command(configuration.plan->stdio->command, configuration, values));
  WB_TRY(auto environment,
         detail::full_environment(configuration.plan->stdio->env, configuration, values));
  return std::make_unique<StdioDeployment>(supervisor, poller, configuration, std::move(command),
                                           std::move(environment));
}

}  // namespace weighbridge::target

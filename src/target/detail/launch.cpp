#include "target/detail/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "os/real_clock.h"

namespace weighbridge::target::detail {
namespace {

constexpr std::size_t kLastLines = 8;

}  // namespace

plan::Placeholders common_placeholders(const Configuration& configuration) {
  plan::Placeholders values{{"plan_dir", configuration.plan->directory},
                            {"max_credentials", std::to_string(configuration.max_credentials)}};
  if (!configuration.upstream_url.empty()) values["upstream"] = configuration.upstream_url;
  if (!configuration.otlp_url.empty()) values["otlp"] = configuration.otlp_url;
  return values;
}

Result<std::vector<std::string>> full_command(const std::vector<std::string>& command,
                                              const Configuration& configuration,
                                              const plan::Placeholders& values) {
  std::vector<std::string> words = command;
  words.insert(words.end(), configuration.variant->args.begin(), configuration.variant->args.end());
  words.insert(words.end(), configuration.mode_args.begin(), configuration.mode_args.end());
  return plan::fill(words, values);
}

Result<TargetEnvironment> full_environment(const plan::Environment& target_env,
                                           const Configuration& configuration,
                                           const plan::Placeholders& values) {
  plan::Environment added = target_env;
  for (const auto& [name, value] : configuration.variant->env) added[name] = value;
  for (const auto& [name, value] : configuration.mode_env) added[name] = value;
  for (auto& [name, value] : added) {
    WB_TRY(value, plan::fill(value, values));
  }
  return make_environment(own_environment(), configuration.plan->strip_env, added);
}

Result<Launched> launch(os::Supervisor& supervisor, os::Poller& poller, os::SpawnRequest request,
                        bool stdout_too) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return std::unexpected(system_error("cannot make a pipe for the target's output", errno));
  os::Fd read_end(ends[0]);
  const os::Fd write_end(ends[1]);
  request.stderr_fd = write_end.get();
  if (stdout_too) request.stdout_fd = write_end.get();
  WB_TRY(const os::SpawnedChild child, supervisor.spawn(request));
  return Launched{child, std::make_unique<transport::OutputTail>(poller, std::move(read_end))};
}

std::string how_it_ended(const os::ExitedChild& exited) {
  if (WIFSIGNALED(exited.wait_status))
    return fmt::format("signal {}", WTERMSIG(exited.wait_status));
  return fmt::format("exit status {}", WEXITSTATUS(exited.wait_status));
}

bool pump_until(os::Poller& poller, const std::function<bool()>& done, Instant deadline) {
  while (!done()) {
    const Instant now = os::now();
    if (now >= deadline) return false;
    poller.run_once(std::min(deadline, now + 2ms));
  }
  return true;
}

Error explain(const Error& error, os::Supervisor& supervisor, os::Poller& poller,
              const Launched& process, const std::string& command) {
  if (error.code == ErrorCode::interrupted) return error;
  // A closed channel is noticed before the exit is reaped, and the last words may still be in the
  // pipe. After any other error the process may have been asked to end because of it, so its end
  // explains nothing.
  std::optional<os::ExitedChild> exited;
  if (error.code == ErrorCode::closed) {
    pump_until(
        poller, [&] { return (exited = supervisor.exited(process.child.pid)).has_value(); },
        os::now() + 200ms);
    pump_until(poller, [] { return false; }, os::now() + 20ms);
  }
  Error explained = error;
  explained.code = ErrorCode::target;
  explained.where = command;
  if (exited) {
    explained.what =
        fmt::format("the server ended by itself ({}) before it answered", how_it_ended(*exited));
  }
  const std::string words = last_words(*process.output);
  if (!words.empty()) {
    if (!explained.remedy.empty()) explained.remedy += "\n";
    explained.remedy += "Its last words:\n" + words;
  } else if (explained.remedy.empty()) {
    explained.remedy = "It wrote nothing to stderr; run the command by hand to see what it does";
  }
  return explained;
}

std::vector<os::Survivor> end_processes(os::Supervisor& supervisor, os::Poller& poller,
                                        const std::vector<pid_t>& pids, Duration patience,
                                        Duration grace) {
  const auto all_gone = [&] {
    return std::ranges::all_of(pids, [&](pid_t pid) { return supervisor.exited(pid).has_value(); });
  };
  if (!pump_until(poller, all_gone, os::now() + patience)) {
    for (const pid_t pid : pids) supervisor.signal(pid, SIGTERM);
    pump_until(poller, all_gone, os::now() + grace);
  }
  return supervisor.end_all();
}

std::string last_words(transport::OutputTail& output) {
  output.drain();
  std::string words;
  for (const std::string& line : output.last_lines(kLastLines)) {
    if (!words.empty()) words += '\n';
    words += "  ";
    for (const char c : line) {
      if (static_cast<unsigned char>(c) >= 0x20 || c == '\t') words += c;
    }
  }
  return words;
}

std::string joined(const std::vector<std::string>& command) {
  return fmt::format("{}", fmt::join(command, " "));
}

}  // namespace weighbridge::target::detail

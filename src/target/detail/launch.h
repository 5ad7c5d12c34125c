#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/poller.h"
#include "os/supervisor.h"
#include "plan/placeholders.h"
#include "target/deployment.h"
#include "transport/output_tail.h"

namespace weighbridge::target::detail {

/// A started process and what it says on the side.
struct Launched {
  os::SpawnedChild child;
  std::unique_ptr<transport::OutputTail> output;
};

/// Placeholders every target text may use; the caller adds port and credential.
plan::Placeholders common_placeholders(const Configuration& configuration);

/// command + the variant's arguments + the mode's, filled.
Result<std::vector<std::string>> full_command(const std::vector<std::string>& command,
                                              const Configuration& configuration,
                                              const plan::Placeholders& values);

/// The target's, the variant's and the mode's additions, later ones winning, filled.
Result<TargetEnvironment> full_environment(const plan::Environment& target_env,
                                           const Configuration& configuration,
                                           const plan::Placeholders& values);

/// Starts a process whose stderr (and, with `stdout_too`, stdout) is drained and its tail kept. The
/// descriptors in `request` stay the caller's.
Result<Launched> launch(os::Supervisor& supervisor, os::Poller& poller, os::SpawnRequest request,
                        bool stdout_too);

/// "exit status 3" or "signal 11".
std::string how_it_ended(const os::ExitedChild& exited);

/// Runs the poller until `done` or the deadline, looking at `done` at least every few milliseconds:
/// exits are known to the supervisor, not to the poller.
bool pump_until(os::Poller& poller, const std::function<bool()>& done, Instant deadline);

/// Turns "the channel closed" into "the server ended with exit status 1" with its last lines, when
/// that is what happened within a moment.
Error explain(const Error& error, os::Supervisor& supervisor, os::Poller& poller,
              const Launched& process, const std::string& command);

/// Asks (SIGTERM), waits `grace`, then ends everything left under the supervisor. Returns what had
/// to be ended.
std::vector<os::Survivor> end_processes(os::Supervisor& supervisor, os::Poller& poller,
                                        const std::vector<pid_t>& pids, Duration patience,
                                        Duration grace);

/// The last lines the process wrote, indented, control characters taken out; empty when it wrote
/// nothing.
std::string last_words(transport::OutputTail& output);

/// The command as one line for messages.
std::string joined(const std::vector<std::string>& command);

}  // namespace weighbridge::target::detail

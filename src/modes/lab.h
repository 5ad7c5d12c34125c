#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "modes/scenarios.h"
#include "os/poller.h"
#include "os/supervisor.h"
#include "plan/plan.h"
#include "plan/redactor.h"
#include "protocol/era.h"
#include "standin/collector.h"
#include "standin/upstream.h"
#include "target/deployment.h"

namespace weighbridge::modes {

/// What stands around the target for a whole run, whatever the mode: the load thread's poller, the
/// stand-ins on their own threads, the way to deploy a scenario, the redactor.
class Lab {
 public:
  static Result<std::unique_ptr<Lab>> open(const plan::Plan& plan, std::string supervisor_program);

  [[nodiscard]] const plan::Plan& plan() const { return plan_; }
  [[nodiscard]] os::Poller& poller() { return *poller_; }
  [[nodiscard]] standin::Upstream* upstream() { return upstream_.get(); }
  [[nodiscard]] standin::Collector* collector() { return collector_.get(); }
  [[nodiscard]] Duration standin_cpu() const;

  /// A supervisor of its own per repeat, so that "everything beneath it" is this repeat's target.
  Result<std::unique_ptr<os::Supervisor>> new_supervisor() const;
  Result<std::unique_ptr<target::Deployment>> deploy(os::Supervisor& supervisor,
                                                     const ScenarioSpec& spec,
                                                     const protocol::Era* era,
                                                     client::HttpDialect dialect = {},
                                                     const std::vector<int>& cpus = {});
  /// Runs the poller for a while: channels are drained, nothing else happens.
  void rest(Duration span);

  [[nodiscard]] const plan::Redactor& redactor() const { return redactor_; }
  [[nodiscard]] std::string redact(std::string_view text) const { return redactor_(text); }
  [[nodiscard]] Error redact(Error error) const;

 private:
  Lab(const plan::Plan& plan, std::string supervisor_program)
      : plan_(plan), program_(std::move(supervisor_program)), redactor_(plan) {}

  const plan::Plan& plan_;
  std::string program_;
  plan::Redactor redactor_;
  std::unique_ptr<os::Poller> poller_;
  std::unique_ptr<standin::Upstream> upstream_;
  std::unique_ptr<standin::Collector> collector_;
};

}  // namespace weighbridge::modes

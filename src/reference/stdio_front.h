#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "os/poller.h"
#include "reference/intake.h"
#include "reference/pacer.h"
#include "reference/service.h"
#include "reference/stdio_pipe.h"

namespace weighbridge::reference {

/// MCP over this process's own stdin and stdout: one client, whose credential is GITLAB_TOKEN.
class StdioFront {
 public:
  StdioFront(os::Poller& poller, Service& service, int in, int out);

  Result<void> start();
  /// The input has ended.
  [[nodiscard]] bool ended() const { return ended_; }
  /// Every answer has been written, or nobody reads them.
  [[nodiscard]] bool drained() const {
    return pipe_.broken() || (waiting_.empty() && unpaced_.empty() && pipe_.drained());
  }

 private:
  void take(std::string_view line);
  void send(transport::Body message);
  void pace_next();

  Service& service_;
  Intake intake_;
  StdioPipe pipe_;
  std::shared_ptr<Caller> caller_;
  std::shared_ptr<Conversation> conversation_;
  std::unordered_map<std::string, Service::Ticket> waiting_;  // by the request's id
  Pacer pacer_;
  std::deque<transport::Body> unpaced_;  // the first is on its way: one line after the other
  bool ended_ = false;
};

}  // namespace weighbridge::reference

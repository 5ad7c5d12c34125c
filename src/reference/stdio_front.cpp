#include "reference/stdio_front.h"

#include <utility>

namespace weighbridge::reference {

StdioFront::StdioFront(os::Poller& poller, Service& service, int in, int out)
    : service_(service), intake_(service), pipe_(poller, in, out) {}

Result<void> StdioFront::start() {
  return pipe_.start([this](std::string_view line) { take(line); }, [this] { ended_ = true; });
}

void StdioFront::take(std::string_view line) {
  auto& stats = service_.stats();
  stats.bytes_received += line.size() + 1;
  // Set once the request turns out to have to wait; answered at once, it is never in the table.
  const auto waiting = std::make_shared<std::string>();
  const Intake::Context context{
      .headers = nullptr,
      .negotiated = negotiated_,
      .credential = &service_.options().own_credential,
      .on_initialize = [this](const protocol::Era& era) { negotiated_ = &era; },
      .on_pending =
          [this, waiting](const std::string& id, Service::Ticket ticket) {
            *waiting = id;
            waiting_[id] = ticket;
          },
      .on_cancelled =
          [this](const std::string& id) {
            const auto found = waiting_.find(id);
            if (found == waiting_.end()) return;
            service_.abandon(found->second);
            waiting_.erase(found);
          },
  };
  intake_.take(line, context, [this, waiting](Handled handled) {
    waiting_.erase(*waiting);
    if (!handled.answered) return;
    service_.stats().bytes_sent += handled.body.size() + 1;
    pipe_.send(std::move(handled.body));
  });
}

}  // namespace weighbridge::reference

#include "reference/stdio_front.h"

#include <utility>

namespace weighbridge::reference {
namespace {

/// There is one way to the client, whatever is said.
class StdoutCaller final : public Caller {
 public:
  StdoutCaller(std::function<void(transport::Body)> send, Stats& stats)
      : send_(std::move(send)), stats_(stats) {}
  void tell(std::string message) override {
    stats_.bytes_sent += message.size() + 1;
    send_(std::move(message));
  }

 private:
  std::function<void(transport::Body)> send_;
  Stats& stats_;
};

}  // namespace

StdioFront::StdioFront(os::Poller& poller, Service& service, int in, int out)
    : service_(service),
      intake_(service),
      pipe_(poller, in, out),
      caller_(std::make_shared<StdoutCaller>(
          [this](transport::Body message) { send(std::move(message)); }, service.stats())),
      pacer_(poller, service.options().weights, service.stats().weights) {}

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
      .asker = {.credential = &service_.options().own_credential,
                .caller = caller_,
                .conversation = conversation_},
      .on_initialize =
          [this](const std::shared_ptr<Conversation>& opened) {
            conversation_ = opened;
            conversation_->tell = [caller = caller_](std::string message) {
              caller->tell(std::move(message));
            };
          },
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
    send(std::move(handled.body));
  });
}

void StdioFront::send(transport::Body message) {
  if (!pacer_.paces()) return pipe_.send(std::move(message));
  unpaced_.push_back(std::move(message));
  if (unpaced_.size() == 1) pace_next();
}

void StdioFront::pace_next() {
  pacer_.send(unpaced_.front(), {.begin = [] {},
                                 .write = [this](transport::Body part) { pipe_.write(part); },
                                 .end =
                                     [this] {
                                       pipe_.send({});
                                       unpaced_.pop_front();
                                       if (!unpaced_.empty()) pace_next();
                                     }});
}

}  // namespace weighbridge::reference

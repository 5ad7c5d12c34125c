#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/conversation.h"
#include "reference/event_stream.h"
#include "reference/intake.h"
#include "reference/service.h"
#include "reference/session_streams.h"
#include "transport/http_server.h"

namespace weighbridge::reference {

/// One POST on its way. Its answer is JSON unless something is said before it: then it becomes a
/// stream of events.
class HttpCall final : public Caller, public std::enable_shared_from_this<HttpCall> {
 public:
  using ReplyPtr = std::shared_ptr<transport::HttpReply>;

  /// `streams`: those of the session, to which the client may come back; nullptr without one.
  HttpCall(Service& service, ReplyPtr reply, std::shared_ptr<SessionStreams> streams, bool primes)
      : service_(service),
        reply_(std::move(reply)),
        streams_(std::move(streams)),
        primes_(primes) {}

  void tell(std::string message) override;
  void let_go() override;

  void opened_session(std::string id) { new_session_ = std::move(id); }
  void waits_for(Service::Ticket ticket) { waiting_.push_back(ticket); }
  /// After everything in it was begun: from now on a caller that has gone is noticed.
  void watch_caller();
  void answer(Handled handled);

 private:
  void begin_stream();
  static void abandon(const std::weak_ptr<HttpCall>& call);

  Service& service_;
  ReplyPtr reply_;
  std::shared_ptr<SessionStreams> streams_;
  bool primes_;
  std::shared_ptr<EventStream> stream_;
  std::string new_session_;  // opened by this very request
  std::vector<Service::Ticket> waiting_;
};

}  // namespace weighbridge::reference

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "os/poller.h"
#include "protocol/server_message.h"
#include "protocol/server_reply.h"
#include "reference/call_gate.h"
#include "reference/call_target.h"
#include "reference/caller_pool.h"
#include "reference/catalogue.h"
#include "reference/conversation.h"
#include "reference/credential.h"
#include "reference/dialogue.h"
#include "reference/finder.h"
#include "reference/listing.h"
#include "reference/options.h"
#include "reference/stats.h"
#include "reference/telemetry.h"
#include "reference/tool_pages.h"
#include "reference/tool_result.h"
#include "reference/upstream.h"
#include "reference/verifier.h"
#include "reference/weigher.h"
#include "transport/http_server.h"

namespace weighbridge::reference {

/// A whole JSON-RPC message on its way back.
struct Reply {
  Ending ending = Ending::ok;
  transport::Body body;
  int http_status = 200;
};

/// Serves requests, whatever transport they came by: the catalogue, GitLab behind it, and the known
/// weights. One thread, the poller's.
class Service {
 public:
  /// `way`: TLS for an instance or a collector on https.
  Service(os::Poller& poller, const Options& options, const transport::Way& way, Stats& stats);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  using Ticket = std::uint64_t;
  using Respond = std::function<void(Reply)>;
  /// Serves one request that route() let through, by the rules of `era` (for initialize: the era
  /// agreed on). `respond` is called exactly once, at once or later, unless the ticket is abandoned
  /// before; the ticket is 0 when it was called at once.
  Ticket serve(const protocol::ClientMessage& message, const protocol::Era& era, const Asker& asker,
               Respond respond);
  /// The caller no longer wants the answer.
  void abandon(Ticket ticket);

  /// Answers a request that route() refused.
  static Reply refuse(std::string_view id, const protocol::Refusal& refusal);

  /// What this server has beyond tools and resources.
  [[nodiscard]] protocol::ServerFeatures features() const {
    return dialogue_ ? Dialogue::features() : protocol::ServerFeatures{};
  }
  /// Null but with --fixtures.
  [[nodiscard]] Dialogue* dialogue() const { return dialogue_.get(); }

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] Stats& stats() { return stats_; }
  [[nodiscard]] Weigher& weigher() { return weigher_; }
  /// Begins what takes a while before everything can be answered.
  void start();
  /// Tells whether GitLab knows a credential, at once or later (--verify).
  void stand(const Credential& credential, CallerPool::OnStanding on_standing);
  [[nodiscard]] std::size_t session_ceiling() const { return stats_.limits.session_ceiling; }
  [[nodiscard]] std::uint64_t upstream_connections_opened() const {
    return upstream_.connections_opened();
  }
  /// Sends what telemetry still holds; true when it has arrived or there is none.
  void flush_telemetry();
  [[nodiscard]] bool telemetry_idle() const { return !telemetry_ || telemetry_->idle(); }

 private:
  /// A request that has not been answered yet.
  struct Pending {
    std::string id;
    const protocol::Era* era = nullptr;
    std::string method;
    std::string tool;
    Instant began;
    Respond respond;
    Upstream::CallId upstream_call = 0;
    os::Poller::TimerId timer = 0;
    CallWeights weights;
    Weigher::Burden burden;
    CallGate::Place place;
    CallGate::Waiter waiter = 0;
  };

  /// Answers for the limits if they do not let the request in; true when it may be served.
  bool admit(Pending& pending, const protocol::ClientMessage& message, const Asker& asker);
  Ticket dispatch(Pending&& pending, const protocol::ClientMessage& message,
                  const Credential& credential, Ticket ticket);
  Ticket wait_for_catalogue(Pending&& pending, const protocol::ClientMessage& message,
                            const Credential& credential);
  void catalogue_is_there();
  /// What is kept of a message that has to wait, since it belongs to its reader, which reads on.
  static std::string params_of(const protocol::ClientMessage& message);
  void sweep_callers();
  void handle(Pending& pending, const protocol::ClientMessage& message);
  Ticket converse(Pending&& pending, const protocol::ClientMessage& message, const Asker& asker);
  void conversed(Ticket ticket, Answer answer);
  void list_tools(Pending& pending, const protocol::ClientMessage& message);
  void read(Pending& pending, const protocol::ClientMessage& message);
  /// The ticket, if the answer comes later.
  Ticket call_tool(Pending&& pending, const protocol::ClientMessage& message,
                   const Credential& credential, Ticket ticket);
  Ticket wait_for_place(Pending&& pending, const protocol::ClientMessage& message,
                        const Credential& credential, Ticket ticket);
  void begin_waiting_call(Ticket ticket, const std::string& params, const Credential& credential,
                          CallGate::Place place);
  /// `ticket`: the call's, if it has one already.
  Ticket begin_call(Pending&& pending, const protocol::ClientMessage& message,
                    const Credential& credential, Ticket ticket = 0);
  ToolResult find_action(const CallTarget& target);
  Ticket ask_upstream(Pending&& pending, const CallTarget& target, const Credential& credential,
                      Ticket ticket);
  std::string render_status(const Result<UpstreamAnswer>& answer) const;
  void upstream_answered(Ticket ticket, Result<UpstreamAnswer> answer, Shape shape, bool status);
  /// Answers now, or after the delay that is this server's to make. `ticket`: the call's, if it has
  /// one already. Returns the ticket, or 0 when it has answered.
  Ticket finish_call(Pending&& pending, const ToolResult& result, Ticket ticket = 0);
  Ticket finish_call(Pending&& pending, Reply reply, Ticket ticket);
  void refuse_as_busy(Pending& pending);
  void refuse_call(Pending& pending, std::string_view why);
  Ticket answer_null(Pending&& pending, Ticket ticket);

  void answer(Pending& pending, std::string_view members,
              std::optional<protocol::CacheHint> hint = {});
  void record(const Pending& pending, Ending ending);
  void respond(Pending& pending, Reply reply);
  void refuse_with(Pending& pending, std::int64_t code, std::string message,
                   Ending ending = Ending::error);

  const Catalogue& catalogue();
  Finder& finder();
  const std::vector<ToolPage>& pages();

  os::Poller& poller_;
  const Options& options_;
  Stats& stats_;
  std::unique_ptr<Dialogue> dialogue_;  // before writer_, which declares what it adds
  protocol::ReplyWriter writer_;
  std::size_t held_ceiling_;
  Upstream upstream_;
  CallerPool callers_;
  Verifier verifier_;
  os::Poller::TimerId sweep_timer_ = 0;
  std::unique_ptr<Telemetry> telemetry_;

  // Each made when first needed: a server that only lists pays for no search index.
  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<Finder> finder_;
  std::vector<ToolPage> pages_;

  Weigher weigher_;
  CallGate gate_;
  simdjson::dom::parser waited_;  // reads the params of a call that had to wait
  bool has_catalogue_ = true;
  os::Poller::TimerId build_timer_ = 0;
  std::vector<std::function<void()>> for_catalogue_;

  Ticket next_ticket_ = 1;
  std::unordered_map<Ticket, Pending> pending_;
};

}  // namespace weighbridge::reference

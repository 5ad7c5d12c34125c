#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "os/poller.h"
#include "reference/call_gate.h"
#include "reference/caller_pool.h"
#include "reference/credential.h"
#include "reference/upstream.h"

namespace weighbridge::reference {

/// Asks GitLab who a credential is: its user, then the version and the credential's scopes, which
/// may both be unknown to it. So many credentials at once, the others wait, but not long.
class Verifier {
 public:
  Verifier(os::Poller& poller, Upstream& upstream, LimitStats& stats);
  ~Verifier();
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  /// Exactly once, later. An instance that cannot be asked says nothing against the credential: the
  /// call itself will tell.
  void verify(const Credential& credential, CallerPool::OnStanding on_standing);

 private:
  static constexpr std::size_t kSlots = 16;
  static constexpr Duration kWait = 5s;
  struct Check {
    Credential credential;
    CallerPool::OnStanding on_standing;
    CallGate::Place place;
    CallGate::Waiter waiter = 0;
    os::Poller::TimerId timer = 0;
    Upstream::CallId call = 0;
    int step = 0;
  };
  void begin(std::uint64_t number, CallGate::Place place);
  void ask(std::uint64_t number);
  void answered(std::uint64_t number, const Result<UpstreamAnswer>& answer);
  void finish(std::uint64_t number, Standing standing);

  os::Poller& poller_;
  Upstream& upstream_;
  LimitStats& stats_;
  WeightStats unseen_;  // the gate's own book, which nobody asks for
  CallGate gate_;
  std::unordered_map<std::uint64_t, Check> checks_;
  std::uint64_t next_ = 1;
  std::uint64_t asking_ = 0;
};

}  // namespace weighbridge::reference

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/error.h"
#include "load/caller.h"
#include "load/live.h"
#include "load/phase_outcome.h"
#include "load/spec.h"
#include "os/poller.h"
#include "protocol/request_meta.h"

namespace weighbridge::load {

struct EngineOptions {
  std::size_t threads = 1;
  std::size_t parallel = 4;  ///< slots of every caller
  /// Core of each thread; empty: wherever the kernel puts them.
  std::vector<int> cpus;
  protocol::ClientInfo client;
  Duration connect_timeout = 30s;
};

/// What a load of that size needs of this machine, said before anything is started: descriptors
/// (the soft limit is raised here when the hard one allows it) and local ports. ErrorCode::usage
/// with the number needed.
Result<void> make_room(std::size_t callers, std::size_t parallel, bool over_http);

/// The load engine: callers dealt over threads that share nothing, one phase after the other on the
/// same connections.
class Engine {
 public:
  /// Opens every connection. ErrorCode::target when the server refuses some.
  static Result<std::unique_ptr<Engine>> open(std::vector<Caller> callers,
                                              const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// What it took to open the connections.
  [[nodiscard]] Duration connecting() const;
  [[nodiscard]] std::size_t slots() const;

  /// Asked about ten times a second; false stops the phase: nothing more is sent, and calls in
  /// flight are dropped uncounted.
  using Watch = std::function<bool(const Live::Reading&)>;
  /// The calling thread runs the poller meanwhile: what the server's processes write is drained.
  /// ErrorCode::plan when an operation's params are no JSON objects.
  Result<PhaseOutcome> run(const Spec& spec, os::Poller& poller, const Watch& watch);

  /// Closes connections and the children's stdin.
  void close();

 private:
  class State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace weighbridge::load

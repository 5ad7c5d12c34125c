#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "load/schedule.h"
#include "protocol/headers.h"
#include "protocol/outcome.h"

namespace weighbridge::load {

/// One thing that callers ask for. `params` are texts of JSON objects without `_meta`, taken in
/// turn; placeholders in them are filled for every call (load/arguments.h).
struct Operation {
  std::string method;
  std::string name;  ///< params.name or params.uri, for the Mcp-Name header; may be empty
  std::vector<std::string> params{"{}"};
  /// Mcp-Param-* of the arguments, where the era and the tool have them; the same for every call.
  std::vector<protocol::HeaderField> param_headers;
  double weight = 1;
  protocol::Expectation expect;

  [[nodiscard]] bool is_tool_call() const { return method == "tools/call"; }
};

/// A sample keeps the number of its operation in five bits.
constexpr std::size_t kMostOperations = 32;

/// One phase of load: what is asked, how fast, for how long.
struct Spec {
  std::vector<Operation> operations;
  /// Operations in turn, slot by slot, instead of by weight.
  bool alternate = false;

  /// Present: open loop. Absent: closed loop, every slot sends again when it became free and
  /// `think` has passed.
  std::optional<Pace> pace;
  Duration think{};

  /// Closed loop: at least one of the two; the first to be reached ends the sending. Open loop: the
  /// pace has its own end.
  std::optional<Duration> duration;
  std::optional<std::uint64_t> requests;

  Duration call_timeout = 60s;
  std::uint64_t seed = 1;
  /// The first reply of every operation, and then one in so many, drawn by the seed, is parsed
  /// whole and held against everything its operation expects; 1: every one.
  std::uint32_t check_every = 64;
  /// The same for replies above 64 KiB. Rarer, because parsing one costs ten times what receiving
  /// it does.
  [[nodiscard]] std::uint32_t check_every_long() const {
    return check_every == 1 ? 1 : 16 * check_every;
  }
  std::vector<protocol::RefusalRule> refusals;
  /// Open loop: the last stretch before a due instant is spent asking instead of sleeping.
  Duration spin = 150us;
};

}  // namespace weighbridge::load

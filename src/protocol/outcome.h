#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace weighbridge::protocol {

/// method.md, "Outcomes". Never pooled: each keeps its own count and latencies.
enum class Outcome { served, refused, failed, hung };
constexpr std::array<Outcome, 4> kOutcomes{Outcome::served, Outcome::refused, Outcome::failed,
                                           Outcome::hung};
std::string_view to_string(Outcome outcome);

/// A reply that means "not now", as the plan names it. Absent members match anything; all present
/// ones must match.
struct RefusalRule {
  std::optional<int> http_status;
  std::optional<std::int64_t> code;  ///< JSON-RPC error code
  std::optional<bool> is_error;      ///< result.isError
  std::string text_prefix;           ///< of the error message or the first text content
};

/// What a served reply must look like beyond its framing. Everything empty: any result will do.
struct Expectation {
  std::string contains{};                    ///< somewhere in the message's bytes
  std::optional<std::uint64_t> min_bytes{};  ///< of the message
  std::optional<std::uint64_t> max_bytes{};
  std::optional<std::string> equals{};   ///< the first text of the content is exactly this
  std::string pointer{};                 ///< RFC 6901, from the result on: it must lead somewhere
  std::string value{};                   ///< JSON: what stands there; empty: anything
  std::optional<std::uint64_t> count{};  ///< elements of the array, or members of the object, there
  /// The result's bytes are those of the first reply that was checked whole. Needs a memory of that
  /// reply: judge() leaves it to whoever has one.
  bool same_result = false;
};

/// One reply as it came off the wire.
struct ReplyFacts {
  int http_status = 0;           ///< 0 on stdio
  std::string_view message;      ///< the JSON-RPC message that should answer, possibly empty
  std::string_view expected_id;  ///< as rendered in the request, e.g. `17`
  bool tool_call = false;        ///< isError is looked for
  bool hung = false;             ///< the deadline passed first
  const Error* transport_error = nullptr;
  std::string_view retry_after{};  ///< the header of that name; empty when absent
};

struct Verdict {
  Outcome outcome = Outcome::failed;
  std::string reason;  ///< empty when served; else the first words that tell why, at most 300 bytes
};

/// Classifies a reply. Framing, id and error are read on every reply, isError on every tools/call
/// (method.md, "Checking a reply").
Verdict judge(const ReplyFacts& reply, const Expectation& expectation,
              const std::vector<RefusalRule>& refusals);

}  // namespace weighbridge::protocol

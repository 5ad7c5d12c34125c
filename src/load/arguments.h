#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weighbridge::load {

/// Everything that makes one call's bytes differ from another's. A call's number, and with it every
/// value below, is the same however many threads share the load.
struct CallNumber {
  std::uint64_t n = 0;     ///< 0-based, over the whole phase
  std::uint32_t id = 0;    ///< of the JSON-RPC request
  std::uint64_t seed = 0;  ///< of the phase
};

/// Sixteen hexadecimal digits that follow from the call and from no other: `{nonce}`.
std::string nonce_of(const CallNumber& call);

/// A text with placeholders, read once and filled for every call:
///   {n}          the call's number, from 0
///   {uuid}       a random UUID (version 4)
///   {nonce}      sixteen hexadecimal digits; the reply must show them again
///   {payload:N}  N random letters and digits, at most 16 MiB
/// Anything else in braces stays as it is: JSON is full of them.
class TextTemplate {
 public:
  explicit TextTemplate(std::string_view text);

  void append(std::string& out, const CallNumber& call) const;
  [[nodiscard]] bool has_nonce() const;

 private:
  enum class What { literal, n, uuid, nonce, payload };
  struct Part {
    What what = What::literal;
    std::string text{};     // literal
    std::size_t bytes = 0;  // payload
  };
  void add_literal(std::string_view text);

  std::vector<Part> parts_;
};

}  // namespace weighbridge::load

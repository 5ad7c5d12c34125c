#pragma once

#include <expected>
#include <string>
#include <utility>

namespace weighbridge {

/// What kind of trouble. `cli` alone turns a kind into an exit code.
enum class ErrorCode {
  usage,        ///< the words on the command line are wrong
  plan,         ///< the plan asks for something impossible or unknown
  target,       ///< the server under test could not be started or never became ready
  run,          ///< a measurement broke off after it had begun
  interrupted,  ///< the user asked to stop
  system,       ///< a system call failed; `system_errno` says how
  timeout,      ///< a deadline passed
  closed,       ///< the other side closed the channel
  malformed,    ///< foreign bytes could not be understood
};

/// One clear error: what happened, where, and what to do about it. A value, never thrown.
struct Error {
  ErrorCode code = ErrorCode::run;
  std::string what;
  std::string where;   ///< file and line, command, phase; empty when `what` says it all
  std::string remedy;  ///< what the reader can do next; may be empty
  int system_errno = 0;

  /// The same error, seen from one level further out: "where" gains a prefix.
  [[nodiscard]] Error within(const std::string& context) const;
};

/// "what (where). remedy" on one line.
std::string describe(const Error& error);

/// An Error of kind `system` whose text ends in the words for `saved_errno`.
Error system_error(std::string what, int saved_errno);

template <typename T>
using Result = std::expected<T, Error>;

/// Shorthand for returning an error from a function that returns Result.
inline std::unexpected<Error> fail(ErrorCode code, std::string what, std::string where = {},
                                   std::string remedy = {}) {
  return std::unexpected(
      Error{code, std::move(what), std::move(where), std::move(remedy), /*system_errno=*/0});
}

}  // namespace weighbridge

// Early return on error. A macro because C++23 has no language form for it; the alternative, a
// five-line `if` after every call, hid the flow of the code that the errors interrupt.
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot stand in parentheses.
#define WB_JOIN_(a, b) a##b
#define WB_JOIN(a, b) WB_JOIN_(a, b)
/// WB_TRY(auto x, expression): x is the value, or the function returns the error.
#define WB_TRY(declaration, expression) \
  WB_TRY_(WB_JOIN(wb_result_, __LINE__), declaration, expression)
#define WB_TRY_(result, declaration, expression)                  \
  auto result = (expression);                                     \
  if (!result) return std::unexpected(std::move(result).error()); \
  declaration = std::move(*result)
/// WB_CHECK(expression): for Result<void>.
#define WB_CHECK(expression)                                 \
  do {                                                       \
    if (auto wb_checked = (expression); !wb_checked)         \
      return std::unexpected(std::move(wb_checked).error()); \
  } while (false)
// NOLINTEND(bugprone-macro-parentheses)

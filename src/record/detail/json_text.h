#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weighbridge::record::detail {

/// A JSON document growing line by line. Straight to text rather than through a tree: a record of a
/// long run holds hundreds of thousands of samples, and a tree would take ten times their room.
class JsonText {
 public:
  void open(char bracket);
  void close(char bracket);
  /// Before every member of an object, and before every element of an array without a name.
  void next(std::string_view name);
  void next();

  void null() { text_ += "null"; }
  void scalar(bool truth) { text_ += truth ? "true" : "false"; }
  void scalar(std::int64_t number);
  void scalar(std::uint64_t number);
  /// Six decimals at most (a nanosecond in a millisecond, a byte in a MiB), trailing zeros left
  /// out; infinities and NaN have no JSON form and are null.
  void scalar(double number);
  /// Bytes that are not UTF-8 become U+FFFD.
  void scalar(std::string_view text);

  template <typename Number>
  void numbers_on_one_line(const std::vector<Number>& numbers) {
    text_ += '[';
    std::string_view comma;
    for (const Number number : numbers) {
      text_ += comma;
      scalar(number);
      comma = ", ";
    }
    text_ += ']';
  }

  /// The whole document with its trailing newline.
  std::string take();

 private:
  void line();

  std::string text_;
  int depth_ = 0;
  bool empty_ = true;  ///< nothing yet between the innermost brackets
};

}  // namespace weighbridge::record::detail

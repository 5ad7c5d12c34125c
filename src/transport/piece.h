#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace weighbridge::transport {

/// Part of a body, shared by all who send it and never copied.
class Piece {
 public:
  Piece() = default;
  explicit Piece(std::shared_ptr<const std::string> text)
      : text_(text ? std::string_view(*text) : std::string_view()), owner_(std::move(text)) {}
  /// Text that is part of the program.
  static Piece of_program(std::string_view text) {
    Piece piece;
    piece.text_ = text;
    return piece;
  }

  const std::string_view& operator*() const { return text_; }
  const std::string_view* operator->() const { return &text_; }

 private:
  std::string_view text_;
  std::shared_ptr<const std::string> owner_;
};

}  // namespace weighbridge::transport

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weighbridge::load::detail {

/// The text of one message while it arrives. A text that comes in one piece is only pointed at; one
/// in several pieces is kept, but above 64 KiB only its first and last 4 KiB are (method.md,
/// "Checking a reply"): keeping 3.2 MB costs more than receiving it.
class MessageText {
 public:
  static constexpr std::size_t kWholeLimit = 64 * 1024;
  static constexpr std::size_t kEdge = 4 * 1024;

  /// A new message. `even_long`: it is kept whole however long it is.
  void begin(bool even_long);
  /// `piece` must stay where it is until settle() or begin().
  void push(std::string_view piece);
  /// What was only pointed at is copied: its buffer is about to be used again.
  void settle();
  /// Forgets the text, and gives back its memory.
  void clear() { begin(false); }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool whole() const { return !edges_only_; }
  /// The text, when whole(); else its two ends, each of kEdge bytes.
  [[nodiscard]] std::string_view head() const;
  [[nodiscard]] std::string_view tail() const;

 private:
  void keep(std::string_view piece);
  void keep_edges(std::string_view piece);

  std::string_view piece_;
  std::unique_ptr<std::string> kept_;
  // In one word: there is one of these for every connection.
  std::uint64_t size_ : 62 = 0;
  bool even_long_ : 1 = false;
  bool edges_only_ : 1 = false;
};

}  // namespace weighbridge::load::detail

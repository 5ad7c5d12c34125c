#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weighbridge::load::detail {

/// Finds the data of server-sent events in a stream that comes in pieces, and copies nothing: the
/// load engine's place for protocol::SseParser, which keeps an event's text whole. Lines end in LF
/// or CRLF; a lone CR, which the standard allows too, is met by no server known here. A CR
/// that was cut off its LF stays with the data, where JSON takes it for white space.
class SseScan {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void on_data(std::string_view piece) = 0;
    /// The event whose data were given has ended.
    virtual void on_event() = 0;
  };

  void push(std::string_view bytes, Sink& sink);
  /// The stream is inside an event: if it ends here, that event is lost.
  [[nodiscard]] bool inside_event() const { return has_data_ || where_ != Where::name; }

 private:
  enum class Where : std::uint8_t { name, first_of_data, data, other };
  void take_name(char c, Sink& sink);

  Where where_ = Where::name;
  std::uint8_t name_length_ = 0;
  bool has_data_ = false;
  std::array<char, 5> name_{};
};

}  // namespace weighbridge::load::detail

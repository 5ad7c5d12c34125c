#pragma once

#include <llhttp.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace weighbridge::transport {

/// Takes the pieces of a reply's body, without chunk framing, each valid only during the call.
class BodySink {
 public:
  virtual ~BodySink() = default;
  virtual void on_body(std::string_view piece) = 0;
};

/// The replies of one connection, one after the other, read without a single allocation: for the
/// load engine, where HttpClient's header lists and strings would cost more than the call. Of the
/// head only status, kind of body and framing are understood.
class ReplyReader {
 public:
  enum class Media : std::uint8_t { other, json, sse };
  enum class State : std::uint8_t {
    more,   ///< the reply goes on
    whole,  ///< it has ended; what follows in the data is not part of it
    broken  ///< not HTTP/1.1; trouble() says why
  };

  ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  /// Before every reply.
  void reset();
  State feed(std::string_view data, BodySink& sink);
  /// The connection has ended: whole when the reply had no other end than that.
  State finish(BodySink& sink);

  [[nodiscard]] int status() const { return head_done_ ? parser_.status_code : 0; }
  [[nodiscard]] Media media() const { return media_; }
  [[nodiscard]] bool head_done() const { return head_done_; }
  /// After whole: the connection may carry another request.
  [[nodiscard]] bool reusable() const { return reusable_; }
  [[nodiscard]] std::string trouble() const;

 private:
  struct Callbacks;
  static const llhttp_settings_t& settings();
  void media_type(std::string_view piece);

  llhttp_t parser_;
  std::uint32_t head_bytes_ = 0;
  std::uint8_t name_matched_ = 0;   // characters of "content-type" that the current name has
  std::uint8_t value_matched_ = 0;  // likewise, of the media type
  Media candidate_ = Media::other;
  Media media_ = Media::other;
  bool in_value_ = false;
  bool head_done_ = false;
  bool whole_ = false;
  bool reusable_ = false;
};

}  // namespace weighbridge::transport

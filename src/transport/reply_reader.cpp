#include "transport/reply_reader.h"

namespace weighbridge::transport {
namespace {

// A server that never ends its headers must not hold the driver for ever.
constexpr std::uint32_t kMaxHeadBytes = 256 * 1024;
constexpr int kStop = -1;

constexpr std::string_view kName = "content-type";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kSse = "text/event-stream";
/// Marks a name or value that has left the word it was held against.
constexpr std::uint8_t kLost = 255;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

void match(std::uint8_t& matched, std::string_view word, std::string_view piece) {
  for (const char c : piece) {
    if (matched == kLost) return;
    matched = matched < word.size() && lower(c) == word[matched] ? matched + 1 : kLost;
  }
}

}  // namespace

struct ReplyReader::Callbacks {
  /// For the length of one feed: who reads, and who takes the body.
  struct Feed {
    ReplyReader& reader;
    BodySink& sink;
  };
  static Feed& feed(llhttp_t* parser) { return *static_cast<Feed*>(parser->data); }
  static ReplyReader& self(llhttp_t* parser) { return feed(parser).reader; }

  static int count(ReplyReader& reader, std::size_t bytes) {
    reader.head_bytes_ += static_cast<std::uint32_t>(bytes);
    return reader.head_bytes_ > kMaxHeadBytes ? kStop : 0;
  }
  static int on_header_field(llhttp_t* parser, const char* at, std::size_t length) {
    ReplyReader& reader = self(parser);
    if (reader.in_value_) {
      reader.in_value_ = false;
      reader.name_matched_ = 0;
    }
    match(reader.name_matched_, kName, {at, length});
    return count(reader, length);
  }
  static int on_header_value(llhttp_t* parser, const char* at, std::size_t length) {
    ReplyReader& reader = self(parser);
    if (!reader.in_value_) {
      reader.in_value_ = true;
      reader.value_matched_ = 0;
    }
    if (reader.name_matched_ == kName.size() && length > 0) reader.media_type({at, length});
    return count(reader, length);
  }
  static int on_headers_complete(llhttp_t* parser) {
    ReplyReader& reader = self(parser);
    reader.in_value_ = true;  // what comes next, a trailer at most, begins anew
    if (parser->status_code / 100 == 1) return parser->status_code == 101 ? kStop : 0;
    reader.head_done_ = true;
    return 0;
  }
  static int on_body(llhttp_t* parser, const char* at, std::size_t length) {
    feed(parser).sink.on_body({at, length});
    return 0;
  }
  static int on_message_complete(llhttp_t* parser) {
    if (parser->status_code / 100 == 1) return 0;
    ReplyReader& reader = self(parser);
    reader.whole_ = true;
    reader.reusable_ = llhttp_should_keep_alive(parser) != 0;
    return HPE_PAUSED;  // what follows is not part of this reply
  }
};

const llhttp_settings_t& ReplyReader::settings() {
  static const llhttp_settings_t kSettings = [] {
    llhttp_settings_t settings;
    llhttp_settings_init(&settings);
    settings.on_header_field = Callbacks::on_header_field;
    settings.on_header_value = Callbacks::on_header_value;
    settings.on_headers_complete = Callbacks::on_headers_complete;
    settings.on_body = Callbacks::on_body;
    settings.on_message_complete = Callbacks::on_message_complete;
    return settings;
  }();
  return kSettings;
}

ReplyReader::ReplyReader() {
  llhttp_init(&parser_, HTTP_RESPONSE, &settings());
}

void ReplyReader::reset() {
  llhttp_reset(&parser_);
  head_bytes_ = 0;
  name_matched_ = 0;
  media_ = Media::other;
  in_value_ = false;
  head_done_ = false;
  whole_ = false;
  reusable_ = false;
}

void ReplyReader::media_type(std::string_view piece) {
  if (value_matched_ == 0) candidate_ = lower(piece.front()) == 'a' ? Media::json : Media::sse;
  const std::string_view word = candidate_ == Media::json ? kJson : kSse;
  for (const char c : piece) {
    // Parameters ("; charset=utf-8") do not change what it is.
    if (value_matched_ == word.size()) break;
    match(value_matched_, word, {&c, 1});
  }
  if (value_matched_ == word.size()) media_ = candidate_;
}

ReplyReader::State ReplyReader::feed(std::string_view data, BodySink& sink) {
  Callbacks::Feed feed{*this, sink};
  parser_.data = &feed;
  const llhttp_errno_t code = llhttp_execute(&parser_, data.data(), data.size());
  if (code == HPE_OK) return State::more;
  if (!whole_) return State::broken;
  // Bytes behind the reply are nobody's: the connection cannot be trusted with another request.
  if (llhttp_get_error_pos(&parser_) != data.data() + data.size()) reusable_ = false;
  return State::whole;
}

ReplyReader::State ReplyReader::finish(BodySink& sink) {
  Callbacks::Feed feed{*this, sink};
  parser_.data = &feed;
  llhttp_finish(&parser_);
  reusable_ = false;
  return whole_ ? State::whole : State::broken;
}

std::string ReplyReader::trouble() const {
  if (parser_.status_code == 101) return "it switches to another protocol";
  if (head_bytes_ > kMaxHeadBytes) return "its head is longer than 256 KiB";
  const char* const words = llhttp_get_error_reason(&parser_);
  return words != nullptr && *words != '\0' ? words : llhttp_errno_name(llhttp_get_errno(&parser_));
}

}  // namespace weighbridge::transport

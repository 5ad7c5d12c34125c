#include "protocol/sse_parser.h"

#include <algorithm>
#include <charconv>

namespace weighbridge::protocol {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
/// No field has a longer name; more of a name need not be kept to know that it is unknown.
constexpr std::size_t kNameLimit = 8;

}  // namespace

void SseParser::push(std::string_view bytes) {
  if (mark_bytes_ < kByteOrderMark.size()) skip_byte_order_mark(bytes);
  // The next LF and the next CR are each looked for once: a stream that uses only one of them is
  // not searched to its end for the other at every line.
  std::size_t lf = bytes.find('\n');
  std::size_t cr = bytes.find('\r');
  for (std::size_t at = 0; at < bytes.size();) {
    if (after_cr_) {
      after_cr_ = false;
      if (bytes[at] == '\n') {
        ++at;
        continue;
      }
    }
    if (lf != std::string_view::npos && lf < at) lf = bytes.find('\n', at);
    if (cr != std::string_view::npos && cr < at) cr = bytes.find('\r', at);
    const std::size_t end = std::min({lf, cr, bytes.size()});
    take(bytes.substr(at, end - at));
    if (end == bytes.size()) return;
    end_line();
    after_cr_ = end == cr;
    at = end + 1;
  }
}

void SseParser::skip_byte_order_mark(std::string_view& bytes) {
  while (mark_bytes_ < kByteOrderMark.size() && !bytes.empty()) {
    if (bytes.front() != kByteOrderMark[mark_bytes_]) {
      // Not a mark after all: what was swallowed belongs to the first field's name, unknown now.
      name_.append(kByteOrderMark.substr(0, mark_bytes_));
      mark_bytes_ = kByteOrderMark.size();
      return;
    }
    ++mark_bytes_;
    bytes.remove_prefix(1);
  }
}

void SseParser::take(std::string_view segment) {
  if (part_ == Part::name) {
    const std::size_t colon = segment.find(':');
    const auto piece = segment.substr(0, colon);
    name_.append(piece.substr(0, kNameLimit - std::min(kNameLimit, name_.size())));
    if (colon == std::string_view::npos) return;
    segment.remove_prefix(colon + 1);
    begin_value();
  }
  if (part_ == Part::space && !segment.empty()) {
    if (segment.front() == ' ') segment.remove_prefix(1);
    part_ = Part::value;
  }
  if (field_ == Field::data) {
    data_.append(segment);
  } else if (field_ != Field::none && field_ != Field::comment) {
    value_.append(segment);
  }
}

void SseParser::begin_value() {
  part_ = Part::space;
  if (name_.empty()) {
    field_ = Field::comment;
  } else if (name_ == "data") {
    field_ = Field::data;
    if (has_data_line_) data_ += '\n';
    has_data_line_ = true;
  } else if (name_ == "event") {
    field_ = Field::type;
  } else if (name_ == "id") {
    field_ = Field::id;
  } else if (name_ == "retry") {
    field_ = Field::retry;
  }
}

void SseParser::end_line() {
  if (part_ == Part::name) {
    if (name_.empty()) {
      dispatch();
      return;
    }
    begin_value();  // a field name alone has an empty value
  }
  if (field_ == Field::comment) {
    ++comments_;
  } else if (field_ == Field::type) {
    type_ = value_;
  } else if (field_ == Field::id && value_.find('\0') == std::string::npos) {
    id_ = value_;
    has_id_line_ = true;
  } else if (field_ == Field::retry) {
    std::uint32_t milliseconds = 0;
    const auto [rest, error] =
        std::from_chars(value_.data(), value_.data() + value_.size(), milliseconds);
    if (error == std::errc{} && rest == value_.data() + value_.size())
      retry_ = std::chrono::milliseconds(milliseconds);
  }
  part_ = Part::name;
  field_ = Field::none;
  name_.clear();
  value_.clear();
}

void SseParser::dispatch() {
  const bool empty = data_.empty();
  if (has_id_line_) last_event_id_ = id_;
  if (!empty || has_id_line_ || has_data_line_) {
    SseEvent event{.data = data_, .type = type_, .id = last_event_id_, .priming = empty};
    on_event_(event);
  }
  data_.clear();
  type_.clear();
  has_data_line_ = false;
  has_id_line_ = false;
}

void SseParser::begin_new_stream() {
  part_ = Part::name;
  field_ = Field::none;
  for (std::string* text : {&name_, &value_, &data_, &type_}) text->clear();
  mark_bytes_ = 0;
  after_cr_ = has_data_line_ = has_id_line_ = false;
}

bool SseParser::inside_event() const {
  return has_data_line_ || part_ != Part::name || !name_.empty();
}

}  // namespace weighbridge::protocol

#include "load/detail/sse_scan.h"

#include <cstring>

namespace weighbridge::load::detail {
namespace {

/// The rest of the line at the front of `bytes`, without its end, which is taken too if it is
/// there.
std::string_view take_line(std::string_view& bytes, bool& ended) {
  const void* const found = std::memchr(bytes.data(), '\n', bytes.size());
  ended = found != nullptr;
  const std::size_t length =
      ended ? static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data())
            : bytes.size();
  std::string_view line = bytes.substr(0, length);
  bytes.remove_prefix(length + (ended ? 1 : 0));
  if (ended && line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void SseScan::push(std::string_view bytes, Sink& sink) {
  while (!bytes.empty()) {
    bool ended = false;
    switch (where_) {
      case Where::name:
        take_name(bytes.front(), sink);
        bytes.remove_prefix(1);
        continue;
      case Where::first_of_data:
        if (bytes.front() == ' ') bytes.remove_prefix(1);
        if (has_data_) sink.on_data("\n");
        has_data_ = true;
        where_ = Where::data;
        continue;
      case Where::data:
        sink.on_data(take_line(bytes, ended));
        break;
      case Where::other:
        take_line(bytes, ended);
        break;
    }
    if (ended) where_ = Where::name;
  }
}

void SseScan::take_name(char c, Sink& sink) {
  if (c == '\r') return;
  if (c == '\n') {
    if (name_length_ == 0 && has_data_) {
      has_data_ = false;
      sink.on_event();
    }
    name_length_ = 0;
  } else if (c == ':') {
    const std::string_view name(name_.data(), name_length_);
    where_ = name == "data" ? Where::first_of_data : Where::other;
    name_length_ = 0;
  } else if (name_length_ < name_.size()) {
    name_[name_length_++] = c;
  }
}

}  // namespace weighbridge::load::detail

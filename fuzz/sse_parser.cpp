// However the bytes are cut, the same events come out.

#include "protocol/sse_parser.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using weighbridge::protocol::SseEvent;
using weighbridge::protocol::SseParser;

std::vector<std::string> parse(std::string_view text, std::size_t piece) {
  std::vector<std::string> seen;
  SseParser parser([&](SseEvent& event) {
    seen.push_back(event.data + '\0' + std::string(event.type) + '\0' + std::string(event.id) +
                   (event.priming ? "p" : "m"));
  });
  while (!text.empty()) {
    parser.push(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto whole = parse(text, text.size() + 1);
  for (const std::size_t piece : {1, 2, 3, 7})
    if (parse(text, piece) != whole) std::abort();
  return 0;
}

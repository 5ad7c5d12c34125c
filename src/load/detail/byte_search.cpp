#include "load/detail/byte_search.h"

#include <cstdint>
#include <cstring>

namespace weighbridge::load::detail {
namespace {

constexpr std::size_t kWidth = 16;
constexpr std::size_t kStride = 4 * kWidth;
/// The compilers' own vectors, so that the same lines serve every processor.
using Bytes = std::uint8_t __attribute__((vector_size(kWidth)));
using Words = std::uint64_t __attribute__((vector_size(kWidth)));

Bytes load(const char* at) {
  Bytes bytes;
  std::memcpy(&bytes, at, kWidth);
  return bytes;
}

bool any(Bytes mask) {
  const auto words = reinterpret_cast<Words>(mask);
  return (words[0] | words[1]) != 0;
}

}  // namespace

std::size_t find_word(std::string_view text, std::string_view needle, std::size_t from) {
  const std::size_t behind = needle.size() - 1;
  const char* const data = text.data();
  std::size_t at = from;
  const Bytes first = Bytes{} + static_cast<std::uint8_t>(needle.front());
  const Bytes last = Bytes{} + static_cast<std::uint8_t>(needle.back());
  for (; at + kStride + behind <= text.size(); at += kStride) {
    Bytes hits{};
    for (std::size_t step = 0; step < kStride; step += kWidth) {
      hits |= reinterpret_cast<Bytes>(load(data + at + step) == first) &
              reinterpret_cast<Bytes>(load(data + at + step + behind) == last);
    }
    if (!any(hits)) continue;
    const auto near = text.substr(at, kStride + behind).find(needle);
    if (near != std::string_view::npos) return at + near;
  }
  return text.find(needle, at);
}

}  // namespace weighbridge::load::detail

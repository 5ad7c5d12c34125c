#include "os/mounts.h"

#include "base/words.h"

namespace weighbridge::os {
namespace {

bool is_octal(char character) {
  return character >= '0' && character <= '7';
}

// Spaces, tabs, newlines and backslashes stand in the file as "\040" and so on.
std::string undo_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool lies_below(const std::string& path, const std::string& point) {
  if (point == "/") return true;
  return path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
  // "36 35 98:0 /root /point rw,noatime optional… - type source options"
  constexpr std::size_t kFixedWords = 6;
  std::vector<Mount> mounts;
  for (const std::string& line : split(text, '\n')) {
    const auto words = split(line, ' ');
    std::size_t dash = kFixedWords;
    while (dash < words.size() && words[dash] != "-") ++dash;
    if (dash + 2 >= words.size()) continue;
    mounts.push_back({.device = words[2],
                      .root = undo_escapes(words[3]),
                      .point = undo_escapes(words[4]),
                      .type = words[dash + 1],
                      .source = undo_escapes(words[dash + 2])});
  }
  return mounts;
}

const Mount* mount_of(const std::string& path, const std::vector<Mount>& mounts) {
  const Mount* best = nullptr;
  for (const Mount& mount : mounts)
    if (lies_below(path, mount.point) &&
        (best == nullptr || mount.point.size() >= best->point.size()))
      best = &mount;
  return best;
}

}  // namespace weighbridge::os

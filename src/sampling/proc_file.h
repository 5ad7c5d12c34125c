#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/fd.h"

namespace weighbridge::sampling {

/// A file of /proc that is read again and again. Kept open it costs half as much to read, and means
/// the same process for ever: after its end, reading fails, even when its number is used again.
class ProcFile {
 public:
  ProcFile(std::string path, bool keep_open);
  /// The text, in `buffer`; nullopt when the file is gone or refused.
  std::optional<std::string_view> read(std::vector<char>& buffer);

 private:
  std::string path_;
  os::Fd kept_;
};

}  // namespace weighbridge::sampling

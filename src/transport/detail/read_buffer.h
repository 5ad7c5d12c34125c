#pragma once

#include <cstddef>
#include <memory>

namespace weighbridge::transport::detail {

/// The 256 KiB into which every socket of a thread is read, borrowed for the length of one read
/// and of the callbacks it causes. One per thread because a buffer per connection costs memory by
/// the thousand, and small ones cost system calls: wrk's 8 KiB reads make a 3.2 MB reply three
/// times as dear. A callback that runs the poller and so reads again finds the buffer taken and
/// gets one of its own, so that the bytes under the first are not overwritten.
class ReadBuffer {
 public:
  static constexpr std::size_t kSize = 256 * 1024;

  ReadBuffer();
  ~ReadBuffer();
  ReadBuffer(const ReadBuffer&) = delete;
  ReadBuffer& operator=(const ReadBuffer&) = delete;

  [[nodiscard]] char* data() const { return data_; }

 private:
  char* data_ = nullptr;
  std::unique_ptr<char[]> own_;
};

}  // namespace weighbridge::transport::detail

#include "transport/detail/read_buffer.h"

namespace weighbridge::transport::detail {
namespace {

struct Shared {
  std::unique_ptr<char[]> bytes;
  bool taken = false;
};
thread_local Shared shared;

}  // namespace

ReadBuffer::ReadBuffer() {
  if (shared.taken) {
    own_ = std::make_unique_for_overwrite<char[]>(kSize);
    data_ = own_.get();
    return;
  }
  if (!shared.bytes) shared.bytes = std::make_unique_for_overwrite<char[]>(kSize);
  shared.taken = true;
  data_ = shared.bytes.get();
}

ReadBuffer::~ReadBuffer() {
  if (!own_) shared.taken = false;
}

}  // namespace weighbridge::transport::detail

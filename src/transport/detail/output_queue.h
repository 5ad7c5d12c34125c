#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weighbridge::transport::detail {

/// Bytes on their way into a socket, as pieces that are shared and never copied: a listing of
/// megabytes costs what the kernel's copy costs, however many peers get it.
class OutputQueue {
 public:
  enum class Flushed {
    all,      ///< the queue is empty
    blocked,  ///< the peer is behind; wait for EPOLLOUT
    broken,   ///< the peer has gone
  };

  void add(std::string text);
  void add(std::shared_ptr<const std::string> piece);
  [[nodiscard]] bool empty() const { return next_ == pieces_.size(); }
  Flushed flush(int socket);

 private:
  void taken(std::size_t bytes);

  std::vector<std::shared_ptr<const std::string>> pieces_;
  std::size_t next_ = 0;    // first piece that has not gone wholly
  std::size_t offset_ = 0;  // of it
};

}  // namespace weighbridge::transport::detail

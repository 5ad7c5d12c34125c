#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "load/caller.h"
#include "os/fd.h"

namespace weighbridge::load {

/// A server on a socket that answers with whatever bytes it is told, right or wrong. One thread.
class RawServer {
 public:
  struct Answer {
    std::string bytes;   ///< sent as they are
    bool close = false;  ///< then hang up
  };
  /// Told the JSON-RPC id as it stands in the request, and the body.
  using Behaviour = std::function<Answer(std::string_view id, std::string_view body)>;

  explicit RawServer(Behaviour behaviour);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  [[nodiscard]] int requests() const { return requests_; }
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] std::vector<std::string> bodies() const;
  [[nodiscard]] Caller caller() const;

 private:
  void serve();

  Behaviour behaviour_;
  os::Fd listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> requests_{0};
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> bodies_;
  std::thread thread_;
};

/// A JSON reply with its length.
std::string http(int status, std::string_view body, std::string_view type = "application/json");
/// A plain answer with `result` (a JSON object).
std::string answer(std::string_view id, std::string_view result = "{}");

}  // namespace weighbridge::load

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "os/poller.h"
#include "transport/http_server.h"

namespace weighbridge::reference {

/// A server's own end of stdio: lines in, messages out. transport::StdioChannel is the client's
/// end: it takes the end of its input for the end of everything, where a server still owes answers,
/// and it copies what it sends, where a server shares one listing among all its answers.
class StdioPipe {
 public:
  using OnLine = std::function<void(std::string_view line)>;
  using OnEnd = std::function<void()>;

  /// Borrows both descriptors. Pipes and sockets, terminals and files.
  StdioPipe(os::Poller& poller, int in, int out);
  ~StdioPipe();
  StdioPipe(const StdioPipe&) = delete;
  StdioPipe& operator=(const StdioPipe&) = delete;

  /// Blank lines are dropped. `on_end` comes once, at the end of the input.
  Result<void> start(OnLine on_line, OnEnd on_end);
  /// Adds the newline.
  void send(transport::Body message);
  /// A part of a message: the same without the end of its line.
  void write(const transport::Body& part);

  /// Everything sent has been taken by the kernel, or nobody reads any more.
  [[nodiscard]] bool drained() const { return queue_.empty(); }
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  struct Reader final : os::Poller::Handler {
    explicit Reader(StdioPipe& pipe) : owner(pipe) {}
    void on_ready(std::uint32_t /*events*/) override { owner.read_some(); }
    StdioPipe& owner;
  };
  struct Writer final : os::Poller::Handler {
    explicit Writer(StdioPipe& pipe) : owner(pipe) {}
    void on_ready(std::uint32_t /*events*/) override { owner.write_some(); }
    StdioPipe& owner;
  };

  void read_some();
  void feed(std::string_view data);
  void deliver(std::string_view line);
  void end_reading();
  void watch_input();
  void stop_watching_input();
  void write_some();
  void taken(std::size_t bytes);
  void break_off();

  os::Poller& poller_;
  int in_;
  int out_;
  bool out_is_socket_;
  Reader reader_;
  Writer writer_;
  OnLine on_line_;
  OnEnd on_end_;

  std::vector<char> buffer_;
  std::string partial_;
  bool reading_ = false;  // more is read as soon as it is there
  bool polled_ = true;    // false: a file, which epoll does not watch
  bool ended_ = false;
  os::Poller::TimerId file_timer_ = 0;

  std::deque<std::shared_ptr<const std::string>> queue_;
  std::size_t offset_ = 0;  // of the first piece
  std::uint64_t queued_bytes_ = 0;
  bool writing_ = false;  // watched by the poller
  bool broken_ = false;
};

}  // namespace weighbridge::reference

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "load/detail/lane.h"
#include "transport/stdio_channel.h"

namespace weighbridge::load::detail {

/// A child's stdin and stdout, with several calls in flight that are told apart by their ids.
class StdioLane final : public Lane {
 public:
  StdioLane(LaneOwner& owner, transport::StdioEnds ends, std::size_t slots);

  Result<void> watch();
  /// The child's end of file.
  void close_write();

  void send(Slot& slot) override;
  void on_ready(std::uint32_t events) override;
  /// A late answer finds no slot and is stray.
  void give_up(Slot& slot) override { (void)slot; }
  std::span<Slot> slots() override { return slots_; }

 private:
  // A second watcher, because stdin and stdout are two descriptors.
  class Writable final : public Lane {
   public:
    explicit Writable(StdioLane& lane) : lane_(lane) {}
    void send(Slot& slot) override { (void)slot; }
    void on_ready(std::uint32_t /*events*/) override { lane_.write_unsent(); }
    void give_up(Slot& slot) override { (void)slot; }
    std::span<Slot> slots() override { return {}; }

   private:
    StdioLane& lane_;
  };

  void write(std::string_view bytes);
  ssize_t write_now(std::string_view bytes);
  void write_unsent();
  void write_gathered();
  void take(std::string_view data, Instant at);
  void line_ended(Instant at);
  void other(std::string_view text);
  Slot* find(std::string_view id);
  Slot* whose(std::string_view id);
  void ended(const std::string& reason);
  [[nodiscard]] bool any_whole() const;

  LaneOwner& owner_;
  transport::StdioEnds ends_;
  bool write_is_socket_;
  bool closed_ = false;
  Writable writable_{*this};
  std::vector<Slot> slots_;
  MessageText text_;
  Instant first_byte_{};
  std::uint32_t first_id_ = 0;  // ever sent here
  std::string unsent_;
  bool reading_ = false;
  std::string gathered_;  // of calls begun while answers are read
  std::vector<Slot*> gathered_slots_;
};

}  // namespace weighbridge::load::detail

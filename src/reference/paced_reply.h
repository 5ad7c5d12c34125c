#pragma once

#include <functional>
#include <memory>

#include "reference/pacer.h"
#include "transport/http_server.h"

namespace weighbridge::reference {

/// A reply whose body goes the way that a Pacer makes it go. A chunked one is paced as a whole,
/// once it has ended.
class PacedReply final : public transport::HttpReply {
 public:
  PacedReply(Pacer& pacer, std::shared_ptr<transport::HttpReply> reply)
      : pacer_(pacer), reply_(std::move(reply)) {}

  void send(int status, const transport::Headers& headers, transport::Body body) override;
  void begin(int status, const transport::Headers& headers) override;
  void write(transport::Body piece) override;
  void end() override;
  void close_after() override { reply_->close_after(); }
  [[nodiscard]] bool peer_gone() const override { return reply_->peer_gone(); }
  void on_peer_gone(std::function<void()> task) override { reply_->on_peer_gone(std::move(task)); }

 private:
  Pacer& pacer_;
  std::shared_ptr<transport::HttpReply> reply_;
  int status_ = 200;
  transport::Headers headers_;
  transport::Body body_;
};

}  // namespace weighbridge::reference

#pragma once

#include <map>
#include <memory>
#include <string>

#include "client/session.h"
#include "protocol/client_session.h"
#include "transport/stdio_channel.h"

namespace weighbridge::client::detail {

/// A session over a child's stdin and stdout: answers come in any order and are told by their ids.
class StdioSession final : public Session {
 public:
  StdioSession(os::Poller& poller, std::unique_ptr<transport::StdioChannel> channel,
               const SessionOptions& options);
  ~StdioSession() override;

  Result<void> open(Instant deadline) override;
  void start(const Call& call, Instant deadline, OnReply on_reply) override;
  void abort(const Error& why) override;
  void close(Duration grace) override;

  [[nodiscard]] const protocol::Era& era() const override { return protocol_.era(); }
  [[nodiscard]] const ServerIdentity& server() const override { return server_; }
  [[nodiscard]] SessionCounters counters() const override { return counters_; }
  [[nodiscard]] bool closed() const override { return closed_; }
  [[nodiscard]] std::size_t in_flight() const override { return pending_.size(); }
  [[nodiscard]] std::string first_garbage() const override { return first_garbage_; }
  std::optional<transport::StdioEnds> release_channel() override;

 protected:
  os::Poller& poller() override { return poller_; }
  [[nodiscard]] protocol::ClientCapabilities capabilities() const override {
    return protocol_.capabilities();
  }

 private:
  struct Pending {
    OnReply on_reply;
    Reply reply;
    os::Poller::TimerId timer = 0;
  };

  void send(protocol::ClientSession::Request request, Instant deadline, OnReply on_reply);
  void on_line(std::string_view line, Instant first_byte, Instant done);
  void on_message(const protocol::Envelope& message, std::string_view text, Instant first_byte,
                  Instant done);
  void on_closed(const Error& why);
  void on_deadline(const std::string& id);

  os::Poller& poller_;
  std::unique_ptr<transport::StdioChannel> channel_;
  bool negotiable_;
  protocol::ClientSession protocol_;
  ServerIdentity server_;
  SessionCounters counters_;
  std::map<std::string, Pending, std::less<>> pending_;  // by id as rendered
  std::string first_garbage_;
  bool channel_ended_ = false;
  bool closed_ = false;  ///< nothing new can be started
  Error why_closed_;
  /// Gone with the session: tells a loop that a handler has destroyed it.
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace weighbridge::client::detail

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/session.h"
#include "protocol/sse_parser.h"
#include "transport/http_client.h"

namespace weighbridge::client::detail {

/// A GET that is answered with events for as long as it lives, on a connection of its own: the
/// answers of HTTP+SSE, or what a server of Streamable HTTP says unasked.
class EventStream final : public transport::HttpSink {
 public:
  struct Event {
    std::string& data;        ///< may be moved out of
    std::string_view type;    ///< empty: "message"
    Instant first_byte{};     ///< of the event
    Instant at{};             ///< its last byte
    std::uint64_t bytes = 0;  ///< as it travelled
  };
  /// Why a stream ended, or never began.
  struct End {
    int http_status = 0;  ///< 0: no reply
    bool events = false;  ///< it was a stream of events
    std::string body;     ///< of a reply that was none; its beginning
    std::string retry_after;
    Error error;
  };
  /// Both come from within the poller and may destroy the stream. Priming events are not shown.
  using OnEvent = std::function<void(Event&)>;
  using OnEnd = std::function<void(const End&)>;

  EventStream(os::Poller& poller, const HttpAccess& access, OnEvent on_event, OnEnd on_end);
  ~EventStream() override;
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  /// Sends the GET (bytes from transport::render_request). Again after the end: what the server
  /// said of ids and waiting stays in force.
  void open(std::string request);
  /// Neither handler is called again.
  void close();

  /// 0 until the reply has begun.
  [[nodiscard]] int http_status() const { return end_.http_status; }
  [[nodiscard]] const std::string& last_event_id() const { return parser_.last_event_id(); }
  [[nodiscard]] std::optional<Duration> retry() const { return parser_.retry(); }
  [[nodiscard]] std::uint64_t connections_opened() const { return http_.connections_opened(); }

  void on_head(int status, const transport::Headers& headers) override;
  void on_body(std::string_view piece, Instant at) override;
  void on_complete(const transport::ExchangeTimes& times) override;
  void on_failure(const Error& error) override;

 private:
  void finish(Error error);

  transport::HttpClient http_;
  OnEvent on_event_;
  OnEnd on_end_;
  protocol::SseParser parser_;
  std::optional<transport::HttpClient::RequestId> request_;
  End end_;
  std::optional<std::string> data_;  ///< of an event that is complete and not yet told
  std::string type_;
  Instant first_byte_{};
  std::uint64_t bytes_ = 0;  ///< since the last event
  /// Gone with the stream: tells a loop that a handler has destroyed it.
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

/// How long to wait before a stream is opened again: what the server asked for, else a second, and
/// never so short that an unlucky server is asked in a loop.
Duration reopening_wait(std::optional<Duration> retry);

/// The Content-Type of a reply, as far as it matters here.
Media media_of(const transport::Headers& headers);

}  // namespace weighbridge::client::detail

#pragma once

#include <llhttp.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "os/fd.h"
#include "os/poller.h"
#include "transport/http_client.h"
#include "transport/http_message.h"

namespace weighbridge::transport::detail {

/// One request and where its reply goes.
struct Exchange {
  HttpClient::RequestId id = 0;
  std::string bytes = {};
  HttpSink* sink = nullptr;  ///< null: nobody waits for it any more
  Instant sent{};            ///< of the first attempt
  bool retried = false;
};

class ClientConnection;

/// The owner of connections: what happens to an exchange after its connection is done with it.
class ClientPool {
 public:
  virtual ~ClientPool() = default;
  /// The reply is whole. `reusable`: the connection may carry another request.
  virtual void completed(ClientConnection& connection, Exchange exchange,
                         const ExchangeTimes& times, bool reusable) = 0;
  /// No reply will come. `unanswered`: a reused connection closed before the reply's first byte.
  virtual void failed(ClientConnection& connection, Exchange exchange, Error error,
                      bool unanswered) = 0;
  /// The connection could not be opened.
  virtual void not_connected(ClientConnection& connection, Exchange exchange, int error) = 0;
  /// An idle connection was closed by the server.
  virtual void idle_closed(ClientConnection& connection) = 0;
  /// Whether a reply has ever come.
  [[nodiscard]] virtual bool reached() const = 0;
  /// "127.0.0.1:8080", for messages.
  [[nodiscard]] virtual std::string address() const = 0;
  virtual void count_opened() = 0;
  virtual void count_read(std::size_t bytes) = 0;
  virtual void count_written(std::size_t bytes) = 0;
};

/// One connection: connecting, then idle or busy with one exchange at a time.
class ClientConnection final : public os::Poller::Handler,
                               public std::enable_shared_from_this<ClientConnection> {
 public:
  /// `stream`: null for plain HTTP.
  ClientConnection(os::Poller& poller, ClientPool& pool, os::Fd socket,
                   std::unique_ptr<SecureStream> stream);
  ~ClientConnection() override { close(); }
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  /// Takes the socket to the poller; `first` is sent when the connection stands.
  Result<void> connect(Exchange first);
  /// On an idle connection: sends now. Calls nobody back.
  void start(Exchange exchange);
  void close();
  Exchange take_exchange() { return std::exchange(exchange_, {}); }
  [[nodiscard]] HttpClient::RequestId request() const { return exchange_.id; }

  void on_ready(std::uint32_t events) override;

  struct Callbacks;  // llhttp's, in the body

 private:
  /// A head that is being read. Lives only while it is, so that an idle connection is small.
  struct Head {
    Headers headers;
    std::size_t bytes = 0;
    bool in_value = false;
  };
  enum class Phase : std::uint8_t { connecting, securing, idle, busy, closed };

  void connected();
  void secure();
  void stand();
  void write_some();
  [[nodiscard]] ssize_t write_securely(std::string_view bytes);
  void read_some();
  void read_securely();
  void take(std::string_view data, Instant at);
  void parse(std::string_view data, Instant at);
  void read_ended(int error, Instant at);
  void reply_ended(Instant at, bool leftovers);
  void fail(ErrorCode code, std::string what, bool unanswered = false, std::string remedy = {});
  void watch(std::uint32_t events);

  static const llhttp_settings_t& settings();
  static std::unique_ptr<Head>& spare_head();
  void header_name(std::string_view piece);
  void header_value(std::string_view piece);
  bool count_head(std::size_t bytes);

  os::Poller& poller_;
  ClientPool& pool_;
  os::Fd socket_;
  Phase phase_ = Phase::connecting;
  bool used_before_ = false;   // has carried a whole reply
  bool write_failed_ = false;  // the reply, if one came, may still be read
  bool parsing_ = false;
  bool in_body_ = false;
  bool reply_whole_ = false;
  bool head_too_long_ = false;
  std::uint32_t events_ = 0;
  std::size_t written_ = 0;
  Exchange exchange_;
  Instant first_byte_{};
  Instant read_at_{};
  std::unique_ptr<Head> head_;
  std::unique_ptr<SecureStream> stream_;  // all that https needs, so that plain HTTP stays small
  llhttp_t parser_;
};

// The budget for an idle connection, engines.md: 300 bytes, of which the shared_ptr takes 16.
static_assert(sizeof(ClientConnection) <= 284);

}  // namespace weighbridge::transport::detail

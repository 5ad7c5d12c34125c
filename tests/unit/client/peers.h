#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/words.h"
#include "os/network.h"
#include "os/poller.h"
#include "os/real_clock.h"
#include "transport/stdio_channel.h"

namespace weighbridge::client {

using nlohmann::json;

/// One step of a transcript captured from a real server (tools/capture_transcripts.py).
inline std::vector<json> read_transcript(const std::string& name) {
  std::ifstream file(std::string(WEIGHBRIDGE_SOURCE_DIR) + "/tests/fixtures/wire/" + name +
                     ".jsonl");
  std::vector<json> steps;
  for (std::string line; std::getline(file, line);) steps.push_back(json::parse(line));
  return steps;
}

/// The captured bytes with the captured id put right for the session that is replaying.
inline std::string with_id(std::string bytes, const json& captured, const json& actual) {
  const std::string from = "\"id\":" + captured.dump();
  if (const auto at = bytes.rfind(from); at != std::string::npos)
    bytes.replace(at, from.size(), "\"id\":" + actual.dump());
  return bytes;
}

// --- stdio -------------------------------------------------------------------------------------

/// The other end of a child's stdin and stdout, scripted, on the test's own poller. Like a good
/// child it ends when its stdin does.
class StdioPeer {
 public:
  /// Called for each message; answers with say() or print().
  using Script = std::function<void(StdioPeer&, const json&)>;

  StdioPeer(os::Poller& poller, Script script) : script_(std::move(script)) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) abort();
    ours_ =
        std::make_unique<transport::StdioChannel>(poller, os::Fd(::dup(ends[0])), os::Fd(ends[0]));
    theirs_ =
        std::make_unique<transport::StdioChannel>(poller, os::Fd(::dup(ends[1])), os::Fd(ends[1]));
    theirs_->on_closed([this](const Error&) { saw_end_ = true; });
    theirs_->on_line([this](std::string_view line, Instant, Instant) {
      received.emplace_back(line);
      if (script_) script_(*this, json::parse(line));
    });
  }

  /// The session's end, once.
  std::unique_ptr<transport::StdioChannel> channel() { return std::move(ours_); }
  void print(std::string_view line) {
    if (theirs_) theirs_->send(line);
  }
  void say(const json& message) { print(message.dump()); }
  void result(const json& request, const json& result) {
    say(json{{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", result}});
  }
  void end() { theirs_.reset(); }
  [[nodiscard]] bool saw_end() const { return saw_end_; }

  std::vector<std::string> received;

 private:
  Script script_;
  std::unique_ptr<transport::StdioChannel> ours_;
  std::unique_ptr<transport::StdioChannel> theirs_;
  bool saw_end_ = false;
};

/// Says what the real server said to the same method (and tool), under the ids of this session.
inline StdioPeer::Script replay_stdio(const std::string& transcript) {
  return [steps = read_transcript(transcript)](StdioPeer& peer, const json& request) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!steps[i].contains("sent")) continue;
      const json sent = json::parse(steps[i]["sent"].get<std::string>());
      if (sent["method"] != request["method"]) continue;
      if (sent["method"] == "tools/call" && sent["params"]["name"] != request["params"]["name"])
        continue;
      for (++i; i < steps.size() && steps[i].contains("received"); ++i)
        peer.print(
            with_id(steps[i]["received"], sent.value("id", json()), request.value("id", json())));
      return;
    }
  };
}

// --- HTTP --------------------------------------------------------------------------------------

struct RawRequest {
  std::string verb;
  std::string target;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;

  [[nodiscard]] json message() const { return json::parse(body); }
  [[nodiscard]] std::string method() const {
    return body.empty() ? verb : message().value("method", "");
  }
};

/// Raw bytes to send, each piece by itself; then perhaps the end of the connection.
struct RawAnswer {
  std::vector<std::string> pieces;
  bool close = false;
  bool stream = false;  ///< stays open: HttpPeer::push() speaks on it
};

inline RawAnswer respond(int status, const std::string& type, const std::string& body,
                         const std::string& more_headers = {}) {
  return {{"HTTP/1.1 " + std::to_string(status) + " X\r\n" +
           (type.empty() ? "" : "Content-Type: " + type + "\r\n") + more_headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body}};
}
inline RawAnswer respond(const json& request, const json& result) {
  return respond(200, "application/json",
                 json{{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", result}}.dump());
}
inline std::string chunk(const std::string& bytes) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}
/// A chunked event stream; each event in a piece of its own, the last chunk too.
inline RawAnswer stream(const std::vector<std::string>& events) {
  RawAnswer answer{
      {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
       "Transfer-Encoding: chunked\r\n\r\n"}};
  for (const std::string& event : events) answer.pieces.push_back(chunk(event));
  answer.pieces.emplace_back("0\r\n\r\n");
  return answer;
}
/// The beginning of a stream that stays open.
inline RawAnswer open_stream(const std::vector<std::string>& events) {
  RawAnswer answer = stream(events);
  answer.pieces.pop_back();
  answer.stream = true;
  return answer;
}
inline std::string event(const json& message) {
  return "event: message\ndata: " + message.dump() + "\n\n";
}
inline json result_of(const json& request, const json& result) {
  return {{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", result}};
}

/// An HTTP server that says exactly the bytes it is told to, on the test's own poller.
class HttpPeer final : os::Poller::Handler {
 public:
  using Script = std::function<RawAnswer(const RawRequest&)>;

  HttpPeer(os::Poller& poller, Script script)
      : poller_(poller), script_(std::move(script)), listener_(*os::listen_tcp("127.0.0.1", 0)) {
    (void)poller_.add(listener_.get(), EPOLLIN, *this);
  }
  ~HttpPeer() override {
    poller_.remove(listener_.get());
    for (const auto& connection : connections_) poller_.remove(connection->fd.get());
  }

  [[nodiscard]] std::uint16_t port() const { return *os::local_port(listener_.get()); }
  std::vector<RawRequest> requests;
  std::size_t accepted = 0;

  /// Says something on the last stream that was left open.
  void push(const std::string& bytes) {
    if (const auto stream = stream_.lock())
      ::send(stream->fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  void push_event(const json& message) {
    push(chunk("event: message\ndata: " + message.dump() + "\n\n"));
  }
  void cut_stream() {
    if (const auto stream = stream_.lock()) drop(*stream);
  }
  [[nodiscard]] bool streaming() const { return !stream_.expired(); }

 private:
  struct Connection final : os::Poller::Handler, std::enable_shared_from_this<Connection> {
    Connection(HttpPeer& peer_in, os::Fd fd_in) : peer(peer_in), fd(std::move(fd_in)) {}
    void on_ready(std::uint32_t) override {
      const auto keep = shared_from_this();
      peer.read(*this);
    }
    HttpPeer& peer;
    os::Fd fd;
    std::string buffer;
  };

  void on_ready(std::uint32_t) override {
    os::Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) return;
    ++accepted;
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections_.push_back(std::make_shared<Connection>(*this, std::move(fd)));
    (void)poller_.add(connections_.back()->fd.get(), EPOLLIN, *connections_.back());
  }

  void read(Connection& connection) {
    char bytes[65536];
    const ssize_t count = ::read(connection.fd.get(), bytes, sizeof bytes);
    if (count <= 0) return drop(connection);
    connection.buffer.append(bytes, static_cast<std::size_t>(count));
    while (auto request = take_request(connection.buffer)) {
      requests.push_back(*request);
      say(connection, script_(*request));
      if (!connection.fd.valid()) return;
    }
  }

  void say(Connection& connection, const RawAnswer& answer) {
    for (const std::string& piece : answer.pieces)
      if (::send(connection.fd.get(), piece.data(), piece.size(), MSG_NOSIGNAL) < 0) return;
    if (answer.stream) stream_ = connection.shared_from_this();
    if (answer.close) drop(connection);
  }

  void drop(Connection& connection) {
    poller_.remove(connection.fd.get());
    connection.fd.reset();
    std::erase_if(connections_, [&](const auto& each) { return each.get() == &connection; });
  }

  static std::optional<RawRequest> take_request(std::string& buffer) {
    const auto end = buffer.find("\r\n\r\n");
    if (end == std::string::npos) return std::nullopt;
    RawRequest request;
    const auto lines = split(std::string_view(buffer).substr(0, end), '\n');
    request.verb = lines[0].substr(0, lines[0].find(' '));
    request.target = split(lines[0], ' ')[1];
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const auto colon = lines[i].find(':');
      std::string name = lines[i].substr(0, colon);
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
      request.headers[name] = trim(std::string_view(lines[i]).substr(colon + 1));
    }
    const std::size_t length = request.headers.contains("content-length")
                                   ? std::stoul(request.headers["content-length"])
                                   : 0;
    if (buffer.size() < end + 4 + length) return std::nullopt;
    request.body = buffer.substr(end + 4, length);
    buffer.erase(0, end + 4 + length);
    return request;
  }

  os::Poller& poller_;
  Script script_;
  os::Fd listener_;
  std::list<std::shared_ptr<Connection>> connections_;
  std::weak_ptr<Connection> stream_;
};

/// Answers every POST as the real server answered the same method (and tool), byte for byte but for
/// the id; the body goes out in pieces of `piece` bytes.
inline HttpPeer::Script replay_http(const std::string& transcript, std::size_t piece = 1 << 20) {
  return [steps = read_transcript(transcript), piece](const RawRequest& request) {
    for (const json& step : steps) {
      if (step["request"]["method"] != request.verb) continue;
      const json& response = step["response"];
      std::string body = response["body"];
      if (request.verb == "POST") {
        const json sent = json::parse(step["request"]["body"].get<std::string>());
        const json actual = request.message();
        if (sent["method"] != actual["method"]) continue;
        if (sent["method"] == "tools/call" && sent["params"]["name"] != actual["params"]["name"])
          continue;
        body = with_id(body, sent.value("id", json()), actual.value("id", json()));
      }
      std::string head = "HTTP/1.1 " + std::to_string(response["status"].get<int>()) + " X\r\n";
      for (const auto& [name, value] : response["headers"].items())
        if (!equals_ignoring_case(name, "transfer-encoding") &&
            !equals_ignoring_case(name, "content-length"))
          head += name + ": " + value.get<std::string>() + "\r\n";
      RawAnswer answer{{head + "Transfer-Encoding: chunked\r\n\r\n"}};
      for (std::size_t at = 0; at < body.size(); at += piece)
        answer.pieces.push_back(chunk(body.substr(at, piece)));
      answer.pieces.emplace_back("0\r\n\r\n");
      return answer;
    }
    return respond(500, "text/plain", "not in the transcript: " + request.body);
  };
}

}  // namespace weighbridge::client

// A server that does as little as one can: what is left of a call is the driver's own cost.
// Prepared bytes, one epoll, one thread; it understands just enough MCP (initialize, tools/list
// with the tool "echo") for a client to come as far as calling. Deliberately without the rooms of
// src/: a yardstick must not share code with what it measures.
//
//   null-server [--port=N] [--bytes=N] [--id=first|last] [--sse] [--chunk=N] [--work=N]
//     prints "listening on 127.0.0.1:N"; GET /calls says how many tools/call it has answered;
//     --work spins so many microseconds before each answer, so that no client is the slower side
//   null-server --stdio [--bytes=N] [--id=first|last] [--tally=FILE]
//     adds a line with that number to FILE at its end

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

struct Options {
  int port = 0;
  std::size_t bytes = 200;
  bool id_last = false;
  bool sse = false;
  bool stdio = false;
  const char* tally = nullptr;
  std::chrono::microseconds work{0};
  std::size_t chunk = 64 * 1024;
};

/// One JSON-RPC reply around an id: `before` id `after`, with the long text in whichever half it
/// stands.
struct Message {
  std::string before;
  std::string after;
};

Message around(const std::string& result, bool id_last) {
  if (id_last) return {R"({"result":)" + result + R"(,"jsonrpc":"2.0","id":)", "}"};
  return {R"({"jsonrpc":"2.0","id":)", R"(,"result":)" + result + "}"};
}

std::string tool_result(std::size_t bytes) {
  const std::string frame = R"({"content":[{"type":"text","text":""}],"isError":false})";
  constexpr std::size_t kAround = 46;  // jsonrpc, id and the braces
  std::string text(bytes > frame.size() + kAround ? bytes - frame.size() - kAround : 1, 'x');
  // Words rather than one letter, so that a searching client meets what it would meet elsewhere.
  for (std::size_t i = 7; i < text.size(); i += 8) text[i] = ' ';
  return R"({"content":[{"type":"text","text":")" + text + R"("}],"isError":false})";
}

/// Everything that is answered, prepared.
struct Answers {
  explicit Answers(const Options& options)
      : call(around(tool_result(options.bytes), options.id_last)),
        list(around(
            R"({"tools":[{"name":"echo","description":"Answers","inputSchema":{"type":"object"},)"
            R"("annotations":{"readOnlyHint":true}}]})",
            options.id_last)),
        greeting(around(R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                        R"("serverInfo":{"name":"null-server","version":"1"}})",
                        options.id_last)),
        unknown({R"({"jsonrpc":"2.0","id":)",
                 R"(,"error":{"code":-32601,"message":"Method not found"}})"}) {}

  Message call;
  Message list;
  Message greeting;
  Message unknown;
};

std::string_view member(std::string_view body, std::string_view key) {
  const auto at = body.find(key);
  if (at == std::string_view::npos) return {};
  auto value = body.substr(at + key.size());
  value.remove_prefix(std::min(value.find_first_not_of(" :"), value.size()));
  const auto end = value.starts_with('"') ? value.find('"', 1) + 1 : value.find_first_of(",}");
  return value.substr(0, end);
}

/// nullptr: a notification, which is not answered.
const Message* answer_to(std::string_view body, const Answers& answers, std::string_view& id) {
  id = member(body, "\"id\"");
  if (id.empty()) return nullptr;
  const auto method = member(body, "\"method\"");
  if (method == "\"tools/call\"") return &answers.call;
  if (method == "\"tools/list\"") return &answers.list;
  if (method == "\"initialize\"") return &answers.greeting;
  return &answers.unknown;
}

/// Bytes on their way out: small ones copied, the long text only pointed at.
struct Output {
  std::string head;
  std::string_view body;
  std::string tail;
  std::size_t taken = 0;

  [[nodiscard]] std::size_t left() const { return head.size() + body.size() + tail.size() - taken; }

  bool write(int fd) {
    while (left() > 0) {
      iovec parts[3];
      int count = 0;
      std::size_t skip = taken;
      for (const std::string_view part : {std::string_view(head), body, std::string_view(tail)}) {
        const std::size_t passed = std::min(skip, part.size());
        skip -= passed;
        if (part.size() > passed)
          parts[count++] = {const_cast<char*>(part.data()) + passed, part.size() - passed};
      }
      const ssize_t written = ::writev(fd, parts, count);
      if (written < 0) return errno == EAGAIN || errno == EINTR;
      taken += static_cast<std::size_t>(written);
    }
    return true;
  }
};

std::string hex(std::size_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%zx", number);
  return text;
}

/// `text` cut into chunks; the whole of a long reply is prepared once, so this runs at start only.
std::string chunked(std::string_view text, std::size_t size) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += size) {
    const auto piece = text.substr(at, size);
    out += hex(piece.size()) + "\r\n";
    out += piece;
    out += "\r\n";
  }
  return out;
}

class HttpReplies {
 public:
  explicit HttpReplies(const Options& options) : options_(options) {}

  Output render(const Message* message, std::string_view id) {
    if (message == nullptr) return {"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", {}, {}};
    if (options_.sse) return render_events(*message, id);
    const std::size_t length = message->before.size() + id.size() + message->after.size();
    std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                       std::to_string(length) + "\r\n\r\n";
    if (options_.id_last)
      return {std::move(head), message->before, std::string(id) + message->after};
    head += message->before;
    head += id;
    return {std::move(head), message->after, {}};
  }

 private:
  Output render_events(const Message& message, std::string_view id) {
    std::string head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    const Prepared& prepared = prepare(message);
    if (options_.id_last) {
      const std::string last = std::string(id) + message.after + "\n\n";
      return {std::move(head), prepared.body, hex(last.size()) + "\r\n" + last + "\r\n0\r\n\r\n"};
    }
    const std::string first = "event: message\ndata: " + message.before + std::string(id);
    if (message.after.size() <= options_.chunk) {
      // One chunk, as servers write a small event.
      head += hex(first.size() + message.after.size() + 2) + "\r\n" + first;
      return {std::move(head), message.after, "\n\n\r\n0\r\n\r\n"};
    }
    head += hex(first.size()) + "\r\n" + first + "\r\n";
    return {std::move(head), prepared.body, "0\r\n\r\n"};
  }

  struct Prepared {
    const Message* message;
    std::string body;
  };
  const Prepared& prepare(const Message& message) {
    for (const auto& known : prepared_)
      if (known->message == &message) return *known;
    const std::string text =
        options_.id_last ? "event: message\ndata: " + message.before : message.after + "\n\n";
    prepared_.push_back(
        std::make_unique<Prepared>(Prepared{&message, chunked(text, options_.chunk)}));
    return *prepared_.back();
  }

  const Options& options_;
  std::vector<std::unique_ptr<Prepared>> prepared_;
};

struct Connection {
  int fd = -1;
  std::string unread;
  Output output;
  bool waiting_to_write = false;
};

class HttpServer {
 public:
  HttpServer(const Options& options, const Answers& answers)
      : answers_(answers), replies_(options), work_(options.work) {}

  int serve(int port) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener_ < 0 ||
        ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 4096) != 0) {
      std::perror("null-server");
      return 1;
    }
    socklen_t length = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    std::printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    std::fflush(stdout);
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    watch(listener_, EPOLLIN, nullptr, EPOLL_CTL_ADD);
    for (;;) turn();
  }

 private:
  void watch(int fd, std::uint32_t events, Connection* connection, int operation) const {
    epoll_event event{};
    event.events = events;
    event.data.ptr = connection;
    ::epoll_ctl(epoll_, operation, fd, &event);
  }

  void turn() {
    epoll_event events[256];
    const int count = ::epoll_wait(epoll_, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      auto* connection = static_cast<Connection*>(events[i].data.ptr);
      if (connection == nullptr)
        accept_all();
      else if (!attend(*connection, events[i].events))
        drop(connection);
    }
  }

  void accept_all() {
    for (;;) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      auto* connection = new Connection;
      connection->fd = fd;
      watch(fd, EPOLLIN, connection, EPOLL_CTL_ADD);
    }
  }

  static void drop(Connection* connection) {
    ::close(connection->fd);
    delete connection;
  }

  bool attend(Connection& connection, std::uint32_t events) {
    if (events & EPOLLOUT) {
      if (!connection.output.write(connection.fd)) return false;
      if (connection.output.left() > 0) return true;
      watch(connection.fd, EPOLLIN, &connection, EPOLL_CTL_MOD);
      connection.waiting_to_write = false;
    }
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return true;
    const ssize_t count = ::recv(connection.fd, buffer_, sizeof buffer_, 0);
    if (count <= 0) return count < 0 && errno == EAGAIN;
    std::string_view data(buffer_, static_cast<std::size_t>(count));
    if (!connection.unread.empty()) {
      connection.unread += data;
      data = connection.unread;
    }
    const std::size_t used = take(connection, data);
    if (used < data.size())
      connection.unread = std::string(data.substr(used));
    else
      connection.unread.clear();
    return !broken_;
  }

  /// Answers whole requests; how many bytes they took.
  std::size_t take(Connection& connection, std::string_view data) {
    std::size_t used = 0;
    broken_ = false;
    while (!connection.waiting_to_write && !broken_) {
      const auto rest = data.substr(used);
      const auto end = rest.find("\r\n\r\n");
      if (end == std::string_view::npos) break;
      std::size_t length = 0;
      const auto head = rest.substr(0, end);
      for (const char* name : {"\r\nContent-Length:", "\r\ncontent-length:"}) {
        const auto at = head.find(name);
        if (at != std::string_view::npos) length = std::strtoul(head.data() + at + 17, nullptr, 10);
      }
      if (rest.size() < end + 4 + length) break;
      connection.output = reply_to(head, rest.substr(end + 4, length));
      broken_ = !connection.output.write(connection.fd);
      if (!broken_ && connection.output.left() > 0) {
        connection.waiting_to_write = true;
        watch(connection.fd, EPOLLOUT, &connection, EPOLL_CTL_MOD);
      }
      used += end + 4 + length;
    }
    return used;
  }

  Output reply_to(std::string_view head, std::string_view body) {
    if (head.starts_with("GET ")) return read_out(head.starts_with("GET /calls "));
    std::string_view id;
    const Message* message = answer_to(body, answers_, id);
    if (message == &answers_.call) {
      ++calls_;
      spin();
    }
    return replies_.render(message, id);
  }

  void spin() const {
    if (work_.count() == 0) return;
    const auto end = std::chrono::steady_clock::now() + work_;
    while (std::chrono::steady_clock::now() < end) {
    }
  }

  [[nodiscard]] Output read_out(bool calls) const {
    if (!calls) return {"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n", {}, {}};
    const std::string number = std::to_string(calls_);
    return {"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " +
                std::to_string(number.size()) + "\r\n\r\n" + number,
            {},
            {}};
  }

  const Answers& answers_;
  HttpReplies replies_;
  std::chrono::microseconds work_;
  std::uint64_t calls_ = 0;
  int listener_ = -1;
  int epoll_ = -1;
  bool broken_ = false;
  char buffer_[kReadBytes];
};

/// Returns how many calls it has answered when the client has gone.
std::uint64_t serve_stdio(const Answers& answers) {
  std::uint64_t calls = 0;
  std::string unread;
  char buffer[kReadBytes];
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count <= 0) return calls;
    unread.append(buffer, static_cast<std::size_t>(count));
    std::size_t used = 0;
    for (std::size_t end = unread.find('\n'); end != std::string::npos;
         end = unread.find('\n', used)) {
      std::string_view id;
      const Message* message =
          answer_to(std::string_view(unread).substr(used, end - used), answers, id);
      used = end + 1;
      if (message == nullptr) continue;
      Output output{message->before + std::string(id), message->after, "\n"};
      // Blocking descriptors: one call takes all of it, or the reader has gone.
      if (!output.write(STDOUT_FILENO)) return calls;
      calls += message == &answers.call;
    }
    unread.erase(0, used);
  }
}

int serve_stdio(const Options& options, const Answers& answers) {
  const std::uint64_t calls = serve_stdio(answers);
  if (options.tally == nullptr) return 0;
  std::FILE* file = std::fopen(options.tally, "a");
  if (file == nullptr || std::fprintf(file, "%llu\n", static_cast<unsigned long long>(calls)) < 0 ||
      std::fclose(file) != 0) {
    std::perror(options.tally);
    return 1;
  }
  return 0;
}

bool read_option(std::string_view word, Options& options) {
  const auto value = [&](std::string_view name) -> const char* {
    return word.starts_with(name) ? word.data() + name.size() : nullptr;
  };
  if (const char* port = value("--port=")) return (options.port = std::atoi(port)) >= 0;
  if (const char* bytes = value("--bytes="))
    return (options.bytes = std::strtoul(bytes, nullptr, 10)) > 0;
  if (const char* chunk = value("--chunk="))
    return (options.chunk = std::strtoul(chunk, nullptr, 10)) > 0;
  if (const char* work = value("--work="))
    return (options.work = std::chrono::microseconds(std::atoi(work))).count() >= 0;
  if (const char* tally = value("--tally=")) return *(options.tally = tally) != '\0';
  if (word == "--id=first" || word == "--id=last") {
    options.id_last = word == "--id=last";
    return true;
  }
  if (word == "--sse") return options.sse = true;
  if (word == "--stdio") return options.stdio = true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (!read_option(argv[i], options)) {
      std::fprintf(stderr,
                   "null-server: what is %s? The words are in the first lines of its source\n",
                   argv[i]);
      return 2;
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
  const Answers answers(options);
  if (options.stdio) return serve_stdio(options, answers);
  return HttpServer(options, answers).serve(options.port);
}

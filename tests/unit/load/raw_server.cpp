#include "raw_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <charconv>
#include <map>

#include "os/network.h"
#include "protocol/era.h"

namespace weighbridge::load {
namespace {

/// The first whole request in `text`: its body, and how long it is with its head.
bool take_request(std::string_view text, std::string_view& body, std::size_t& size) {
  const auto end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return false;
  const auto at = text.find("Content-Length: ");
  std::size_t length = 0;
  if (at < end) std::from_chars(text.data() + at + 16, text.data() + end, length);
  size = end + 4 + length;
  if (text.size() < size) return false;
  body = text.substr(end + 4, length);
  return true;
}

std::string_view id_of(std::string_view body) {
  const auto at = body.find("\"id\":") + 5;
  return body.substr(at, body.find_first_of(",}", at) - at);
}

}  // namespace

RawServer::RawServer(Behaviour behaviour)
    : behaviour_(std::move(behaviour)),
      listener_(std::move(*os::listen_tcp("127.0.0.1", 0))),
      port_(*os::local_port(listener_.get())),
      thread_([this] { serve(); }) {}

RawServer::~RawServer() {
  stopping_ = true;
  thread_.join();
}

std::vector<std::string> RawServer::bodies() const {
  const std::lock_guard lock(mutex_);
  return bodies_;
}

Caller RawServer::caller() const {
  Caller caller;
  caller.era = &protocol::newest_handshake_era();
  caller.http.emplace().url = {"http", "127.0.0.1", port_, "/mcp"};
  return caller;
}

void RawServer::serve() {
  std::map<int, std::pair<os::Fd, std::string>> peers;
  while (!stopping_) {
    std::vector<pollfd> watched{{listener_.get(), POLLIN, 0}};
    for (const auto& [fd, peer] : peers) watched.push_back({fd, POLLIN, 0});
    if (::poll(watched.data(), watched.size(), 10) <= 0) continue;
    if ((watched.front().revents & POLLIN) != 0) {
      const int fd = ::accept(listener_.get(), nullptr, nullptr);
      if (fd >= 0) {
        ++connections_;
        peers[fd].first = os::Fd(fd);
      }
    }
    for (std::size_t i = 1; i < watched.size(); ++i) {
      if (watched[i].revents == 0) continue;
      const int fd = watched[i].fd;
      char buffer[65536];
      const ssize_t count = ::recv(fd, buffer, sizeof buffer, 0);
      if (count <= 0) {
        peers.erase(fd);
        continue;
      }
      std::string& unread = peers[fd].second;
      unread.append(buffer, static_cast<std::size_t>(count));
      std::string_view body;
      std::size_t size = 0;
      while (take_request(unread, body, size)) {
        ++requests_;
        {
          const std::lock_guard lock(mutex_);
          if (bodies_.size() < 100) bodies_.emplace_back(body);
        }
        const Answer answer = behaviour_(id_of(body), body);
        ::send(fd, answer.bytes.data(), answer.bytes.size(), MSG_NOSIGNAL);
        unread.erase(0, size);
        if (!answer.close) continue;
        peers.erase(fd);
        break;
      }
    }
  }
}

std::string http(int status, std::string_view body, std::string_view type) {
  return fmt::format("HTTP/1.1 {} Whatever\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}",
                     status, type, body.size(), body);
}

std::string answer(std::string_view id, std::string_view result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, result);
}

}  // namespace weighbridge::load

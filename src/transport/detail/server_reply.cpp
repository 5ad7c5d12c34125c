#include "transport/detail/server_reply.h"

#include <fmt/format.h>

#include <utility>

#include "base/words.h"
#include "transport/detail/render.h"
#include "transport/detail/server_connection.h"

namespace weighbridge::transport::detail {
namespace {

// Framing is this file's to decide; a handler that copies an upstream's headers must not be able to
// contradict it.
bool is_framing(std::string_view name) {
  return equals_ignoring_case(name, "content-length") ||
         equals_ignoring_case(name, "transfer-encoding") ||
         equals_ignoring_case(name, "connection");
}

bool allows_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

const std::shared_ptr<const std::string>& crlf() {
  static const auto kText = std::make_shared<const std::string>("\r\n");
  return kText;
}

const std::shared_ptr<const std::string>& last_chunk() {
  static const auto kText = std::make_shared<const std::string>("0\r\n\r\n");
  return kText;
}

}  // namespace

ServerReply::~ServerReply() {
  if (connection_ == nullptr) return;
  const auto keep = connection_->shared_from_this();
  if (stage_ == Stage::fresh && !close_) {
    close_ = true;
    send(500, {}, {});
  }
  if (stage_ != Stage::ended) {
    stage_ = Stage::ended;
    connection_->close_when_sent();
  }
  keep->forget(*this);
}

std::string ServerReply::render_head(int status, const Headers& headers,
                                     const std::string& framing) {
  const auto asks_to_close = find_header(headers, "connection");
  if (asks_to_close && equals_ignoring_case(*asks_to_close, "close")) close_ = true;
  if (!shape_.keep_alive || connection_->stopping()) close_ = true;
  std::string head;
  head.reserve(256);
  append_status_line(head, status);
  for (const Header& header : headers) {
    if (!is_framing(header.name)) append_header(head, header.name, header.value);
  }
  head += framing;
  if (close_) {
    head += "Connection: close\r\n";
  } else if (shape_.http_1_0) {
    head += "Connection: keep-alive\r\n";
  }
  head += "\r\n";
  return head;
}

void ServerReply::send(int status, const Headers& headers, Body body) {
  if (connection_ == nullptr || stage_ != Stage::fresh) return;
  const auto keep = connection_->shared_from_this();
  const std::string framing =
      allows_body(status) ? fmt::format("Content-Length: {}\r\n", body.size()) : std::string();
  OutputQueue& output = connection_->output();
  output.add(render_head(status, headers, framing));
  if (allows_body(status) && !shape_.head_request) {
    for (const auto& piece : body.pieces()) output.add(piece);
  }
  finish();
}

void ServerReply::begin(int status, const Headers& headers) {
  if (connection_ == nullptr || stage_ != Stage::fresh) return;
  const auto keep = connection_->shared_from_this();
  has_body_ = allows_body(status) && !shape_.head_request;
  std::string framing;
  if (shape_.http_1_0) {
    close_ = true;  // the only way to say where the body ends
  } else if (allows_body(status)) {
    framing = "Transfer-Encoding: chunked\r\n";
  }
  connection_->output().add(render_head(status, headers, framing));
  stage_ = Stage::begun;
  connection_->flush();
}

void ServerReply::write(Body piece) {
  // An empty chunk would end the reply.
  if (connection_ == nullptr || stage_ != Stage::begun || !has_body_ || piece.size() == 0) return;
  const auto keep = connection_->shared_from_this();
  OutputQueue& output = connection_->output();
  if (!shape_.http_1_0) output.add(fmt::format("{:x}\r\n", piece.size()));
  for (const auto& part : piece.pieces()) output.add(part);
  if (!shape_.http_1_0) output.add(crlf());
  connection_->flush();
}

void ServerReply::end() {
  if (connection_ == nullptr || stage_ != Stage::begun) return;
  const auto keep = connection_->shared_from_this();
  if (has_body_ && !shape_.http_1_0) connection_->output().add(last_chunk());
  finish();
}

void ServerReply::finish() {
  stage_ = Stage::ended;
  on_peer_gone_ = nullptr;
  if (close_) {
    connection_->close_when_sent();
  } else {
    connection_->flush();
  }
}

void ServerReply::close_after() {
  close_ = true;
  if (connection_ == nullptr || stage_ == Stage::fresh) return;
  const auto keep = connection_->shared_from_this();
  stage_ = Stage::ended;
  on_peer_gone_ = nullptr;
  connection_->close_when_sent();
}

void ServerReply::on_peer_gone(std::function<void()> task) {
  if (peer_gone_) return task();
  if (stage_ != Stage::ended) on_peer_gone_ = std::move(task);
}

void ServerReply::peer_left() {
  connection_ = nullptr;
  peer_gone_ = true;
  const auto task = std::exchange(on_peer_gone_, nullptr);
  if (task) task();
}

}  // namespace weighbridge::transport::detail

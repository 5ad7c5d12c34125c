#include "reference/paced_reply.h"

#include <utility>

namespace weighbridge::reference {

void PacedReply::send(int status, const transport::Headers& headers, transport::Body body) {
  if (body.size() == 0) return reply_->send(status, headers, {});
  begin(status, headers);
  write(std::move(body));
  end();
}

void PacedReply::begin(int status, const transport::Headers& headers) {
  status_ = status;
  headers_ = headers;
}

void PacedReply::write(transport::Body piece) {
  for (const auto& part : piece.pieces()) body_.add(part);
}

void PacedReply::end() {
  pacer_.send(body_,
              {.begin = [reply = reply_, status = status_,
                         headers = headers_] { reply->begin(status, headers); },
               .write = [reply = reply_](transport::Body part) { reply->write(std::move(part)); },
               .end = [reply = reply_] { reply->end(); }});
}

}  // namespace weighbridge::reference

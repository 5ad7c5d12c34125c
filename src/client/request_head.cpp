#include "client/request_head.h"

#include "client/detail/handshake.h"

namespace weighbridge::client {

std::string post_head(const HttpAccess& access, const protocol::Era& era,
                      const protocol::HeaderFacts& facts) {
  std::string head = transport::render_request(
      "POST", access.url.target, access.url.authority(),
      detail::join_headers(protocol::post_headers(era, facts), access.headers), {});
  head.resize(head.size() - 2);  // the blank line that ends a head
  return head + "Content-Length: ";
}

}  // namespace weighbridge::client

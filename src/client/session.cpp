#include "client/session.h"

#include <fmt/format.h>

#include <set>

#include "client/detail/await.h"
#include "client/detail/handshake.h"
#include "protocol/json_text.h"
#include "protocol/list_page.h"
#include "protocol/message.h"

namespace weighbridge::client {
namespace {

/// Far beyond any real list; a server that invents cursors without end must not hold us for ever.
constexpr std::size_t kMaxPages = 10'000;

void add_page(Listing& listing, const Reply& reply, protocol::ListPage&& page) {
  if (listing.page_bytes.empty()) {
    listing.media = reply.media;
    listing.first_sent = reply.sent;
  }
  listing.page_bytes.push_back(reply.message.size());
  listing.wire_bytes += reply.wire_bytes;
  listing.items += page.items;
  listing.done = reply.done;
  std::ranges::move(page.items_json, std::back_inserter(listing.items_json));
}

}  // namespace

std::string_view to_string(Media media) {
  switch (media) {
    case Media::stdio:
      return "stdio";
    case Media::json:
      return "json";
    case Media::sse:
      return "sse";
    case Media::none:
      return "none";
  }
  return "none";
}

protocol::ReplyFacts Reply::facts(bool tool_call) const {
  return {.http_status = http_status,
          .message = message,
          .expected_id = id,
          .tool_call = tool_call,
          .hung = hung,
          .transport_error = error ? &*error : nullptr};
}

Reply Session::call(const Call& call, Instant deadline) {
  return detail::await(poller(), deadline,
                       [&](OnReply on_reply) { start(call, deadline, std::move(on_reply)); });
}

Result<Listing> Session::list(std::string_view method, Instant deadline, bool keep_items) {
  const std::string name(method);
  Listing listing;
  std::set<std::string> seen;
  std::string params = "{}";
  while (listing.page_bytes.size() < kMaxPages) {
    const Reply reply = call({name, params, {}}, deadline);
    const auto verdict = protocol::judge(reply.facts(/*tool_call=*/false), {}, {});
    if (verdict.outcome != protocol::Outcome::served)
      return std::unexpected(detail::explain_reply(reply, name, where()));
    auto page =
        protocol::read_list_page(method, protocol::read_message(reply.message).result, keep_items);
    if (!page)
      return fail(ErrorCode::target,
                  fmt::format("page {} of {} cannot be read: {}", listing.page_bytes.size() + 1,
                              name, page.error().what),
                  where());
    const auto cursor = std::move(page->next_cursor);
    add_page(listing, reply, std::move(*page));
    if (!cursor) return listing;
    if (!seen.insert(*cursor).second)
      return fail(ErrorCode::target,
                  fmt::format("{} goes round in circles: page {} names the cursor {} a second time",
                              name, listing.page_bytes.size(),
                              protocol::quote(protocol::first_words(*cursor, 80))),
                  where());
    params = fmt::format(R"({{"cursor":{}}})", protocol::quote(*cursor));
  }
  return fail(ErrorCode::target, fmt::format("{} has more than {} pages", name, kMaxPages),
              where());
}

}  // namespace weighbridge::client

#include "client/session.h"

#include <fmt/format.h>

#include <set>

#include "client/detail/await.h"
#include "client/detail/handshake.h"
#include "protocol/input_round.h"
#include "protocol/json_text.h"
#include "protocol/list_page.h"
#include "protocol/message.h"
#include "protocol/tool.h"
#include "protocol/tool_headers.h"

namespace weighbridge::client {
namespace {

/// Far beyond any real list; a server that invents cursors without end must not hold us for ever.
constexpr std::size_t kMaxPages = 10'000;

/// Takes tools that must not be called over HTTP out of a listing (2026-07-28, SEP-2243).
void drop_invalid_tools(Listing& listing) {
  std::erase_if(listing.items_json, [&](const std::string& item) {
    const auto tool = protocol::read_tool(item);
    if (!tool) return false;
    const auto headers = protocol::read_tool_headers(tool->input_schema);
    if (!headers)
      listing.dropped.push_back(
          fmt::format("{}: {}", protocol::first_words(tool->name, 80), headers.error().what));
    return !headers;
  });
}

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

Result<Call> call_of_tool(std::string_view item, std::string_view arguments) {
  WB_TRY(const protocol::Tool tool, protocol::read_tool(item));
  Call call{"tools/call", {}, tool.name};
  call.params =
      fmt::format(R"({{"name":{},"arguments":{}}})", protocol::quote(tool.name), arguments);
  // Invalid annotations mean nothing where no headers are sent, and where they are the tool has
  // been dropped from the listing.
  if (const auto headers = protocol::read_tool_headers(tool.input_schema))
    call.param_headers = protocol::headers_of_call(*headers, arguments);
  return call;
}

std::string_view to_string(HttpDialect dialect) {
  return dialect == HttpDialect::sse ? "http+sse" : "http";
}

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
          .transport_error = error ? &*error : nullptr,
          .retry_after = retry_after};
}

Reply Session::call(const Call& call, Instant deadline) {
  return detail::await(poller(), deadline,
                       [&](OnReply on_reply) { start(call, deadline, std::move(on_reply)); });
}

Result<std::optional<Call>> Session::next_round(const Call& call, const Reply& reply) const {
  const protocol::Envelope message = protocol::read_message(reply.message);
  if (era().handshake || message.kind != protocol::Envelope::Kind::response) return std::nullopt;
  auto params = protocol::next_round(call.params, message.result, capabilities());
  if (!params) return std::unexpected(std::move(params).error());
  if (!*params) return std::nullopt;
  Call next = call;
  next.params = std::move(**params);
  return next;
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
    const std::string_view result = protocol::read_message(reply.message).result;
    if (const std::string type = protocol::result_type(result); type != "complete")
      return fail(ErrorCode::target,
                  fmt::format("{} was answered with the resultType {}, which is no listing", name,
                              protocol::quote(protocol::first_words(type, 40))),
                  where());
    auto page = protocol::read_list_page(method, result, keep_items);
    if (!page)
      return fail(ErrorCode::target,
                  fmt::format("page {} of {} cannot be read: {}", listing.page_bytes.size() + 1,
                              name, page.error().what),
                  where());
    const auto cursor = std::move(page->next_cursor);
    add_page(listing, reply, std::move(*page));
    if (!cursor) {
      if (method == "tools/list" && sends_param_headers()) drop_invalid_tools(listing);
      return listing;
    }
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

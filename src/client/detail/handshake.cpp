#include "client/detail/handshake.h"

#include <fmt/format.h>

#include "protocol/json_text.h"
#include "protocol/message.h"

namespace weighbridge::client::detail {
namespace {

std::string remedy_for(const Reply& reply) {
  if (!reply.retry_after.empty())
    return fmt::format(
        "The server is limiting or overloaded, and asks to be left alone: "
        "Retry-After {}",
        protocol::first_words(reply.retry_after, 60));
  switch (reply.http_status) {
    case 401:
    case 403:
      return "Give the server the credential it wants, as a header";
    case 421:
      return "The server refuses the name it was called by: use the one it knows, often localhost";
    case 404:
    case 405:
      return "Check the URL's path: MCP servers often answer under /mcp";
    case 429:
    case 503:
      return "The server is limiting or overloaded: try again later";
    default:
      break;
  }
  if (reply.http_status >= 300 && reply.http_status < 400)
    return "Redirects are not followed: give the final URL";
  if (reply.hung) return "Give it more time (--ready-timeout), or check that it speaks MCP";
  return {};
}

Error at(Error error, const std::string& where) {
  return where.empty() ? error : error.within(where);
}

}  // namespace

Error explain_reply(const Reply& reply, const std::string& what, const std::string& where) {
  if (reply.error) {
    Error error = at(*reply.error, where);
    if (error.code == ErrorCode::interrupted) return error;
    if (error.code != ErrorCode::closed) error.code = ErrorCode::target;
    error.what = what + " was not answered: " + error.what;
    return error;
  }
  if (reply.hung)
    return {ErrorCode::target, what + " was not answered in time", where, remedy_for(reply), 0};
  const auto verdict = protocol::judge(reply.facts(/*tool_call=*/false), {}, {});
  return {ErrorCode::target, fmt::format("{} was answered with {}", what, verdict.reason), where,
          remedy_for(reply), 0};
}

Result<void> settle_handshake(protocol::ClientSession& session, const Reply& reply, bool negotiable,
                              const std::string& where) {
  const auto verdict = protocol::judge(reply.facts(/*tool_call=*/false), {}, {});
  const protocol::Envelope envelope = protocol::read_message(reply.message);
  // A refusal is the limiter's word, not the server's on the handshake, whatever its body says.
  const bool speaks = envelope.kind == protocol::Envelope::Kind::error && !reply.hung &&
                      !reply.error && verdict.outcome != protocol::Outcome::refused;
  if (verdict.outcome != protocol::Outcome::served && !speaks)
    return std::unexpected(explain_reply(reply, "initialize", where));
  auto accepted = session.accept_initialize(envelope, negotiable);
  if (accepted) return {};
  Error error = at(std::move(accepted).error(), where);
  if (error.remedy.empty()) error.remedy = remedy_for(reply);
  return std::unexpected(std::move(error));
}

const protocol::Era& era_to_ask_for(const SessionOptions& options) {
  return options.era != nullptr ? *options.era : protocol::newest_handshake_era();
}

transport::Headers join_headers(std::vector<protocol::HeaderField> ours,
                                const transport::Headers& given) {
  transport::Headers headers;
  for (auto& header : ours)
    if (!transport::find_header(given, header.name))
      headers.push_back({std::move(header.name), std::move(header.value)});
  headers.insert(headers.end(), given.begin(), given.end());
  return headers;
}

std::string name_of(const transport::Url& url) {
  const auto query = url.target.find('?');
  return fmt::format("{}://{}{}{}", url.scheme, url.authority(), url.target.substr(0, query),
                     query == std::string::npos ? "" : "?…");
}

ServerIdentity identity_of(const protocol::Introduction& introduction) {
  return {.name = introduction.name,
          .title = introduction.title,
          .version = introduction.version,
          .revisions = introduction.versions,
          .capabilities = introduction.capabilities,
          .instructions_bytes = introduction.instructions_bytes};
}

}  // namespace weighbridge::client::detail

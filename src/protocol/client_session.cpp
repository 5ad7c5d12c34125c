#include "protocol/client_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "protocol/json_text.h"

namespace weighbridge::protocol {
namespace {

constexpr std::int64_t kMethodNotFound = -32601;

}  // namespace

ClientSession::ClientSession(const Era& era, ClientInfo client, ClientCapabilities capabilities)
    : era_(&era), client_(std::move(client)), capabilities_(capabilities) {
  if (!era.handshake) meta_members_ = render_meta_members(era, client_, capabilities_);
}

ClientSession::Request ClientSession::request(std::string_view method, std::string_view params) {
  const std::uint64_t id = next_id_++;
  if (meta_members_.empty()) return {fmt::to_string(id), render_request(id, method, params)};
  const auto merged = merge_meta(params.empty() ? "{}" : params, meta_members_);
  return {fmt::to_string(id), render_request(id, method, merged ? *merged : params)};
}

ClientSession::Request ClientSession::initialize() {
  const std::uint64_t id = next_id_++;
  return {
      fmt::to_string(id),
      render_request(id, "initialize", render_initialize_params(*era_, client_, capabilities_))};
}

Result<void> ClientSession::accept_initialize(const Envelope& answer, bool negotiable) {
  if (answer.kind == Envelope::Kind::error) {
    const auto supported = supported_versions(answer.error_data);
    return fail(ErrorCode::target,
                first_words(fmt::format("initialize was answered with error {}: {}",
                                        answer.error_code, answer.error_message)),
                {},
                supported.empty() ? "" : fmt::format("it supports {}", fmt::join(supported, ", ")));
  }
  if (answer.kind != Envelope::Kind::response)
    return fail(ErrorCode::target, "initialize was not answered with a JSON-RPC response");
  auto server = read_initialize_result(answer.result);
  if (!server) return fail(ErrorCode::target, std::move(server).error().what);
  const std::string offered = server->versions.front();
  if (offered != era_->name) {
    const Era* other = find_era(offered);
    if (other == nullptr || !other->handshake)
      return fail(ErrorCode::target,
                  fmt::format("asked for {}, the server answers with {}, which is no revision this "
                              "version of Weighbridge knows",
                              era_->name, quote(first_words(offered, 40))));
    if (!negotiable)
      return fail(ErrorCode::target,
                  fmt::format("asked for {}, the server answers with {}", era_->name, offered), {},
                  fmt::format("ask for {} or let the revision be detected", offered));
    era_ = other;
  }
  server_ = std::move(*server);
  return {};
}

std::string ClientSession::initialized() {
  return render_notification("notifications/initialized");
}

ClientSession::Received ClientSession::receive(const Envelope& message) const {
  switch (message.kind) {
    case Envelope::Kind::response:
    case Envelope::Kind::error:
      return {Meaning::answer, {}};
    case Envelope::Kind::notification:
      return {Meaning::notification, {}};
    case Envelope::Kind::request:
      if (!era_->server_requests) return {};
      if (message.method == "ping")
        return {Meaning::server_request, render_result(message.id, "{}")};
      if (const auto result = answer_for(capabilities_, message.method, message.params))
        return {Meaning::server_request, render_result(message.id, *result)};
      return {Meaning::server_request,
              render_error(message.id, kMethodNotFound,
                           "this client declares no capability for " + message.method)};
    case Envelope::Kind::batch:
    case Envelope::Kind::malformed:
      break;
  }
  return {};
}

}  // namespace weighbridge::protocol

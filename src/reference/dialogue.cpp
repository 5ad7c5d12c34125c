#include "reference/dialogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace weighbridge::reference {
namespace {

using namespace std::string_view_literals;
using protocol::ClientMessage;

constexpr std::array kMethods{"prompts/list"sv,        "prompts/get"sv,
                              "completion/complete"sv, "logging/setLevel"sv,
                              "resources/subscribe"sv, "resources/unsubscribe"sv,
                              "subscriptions/listen"sv};
constexpr std::string_view kScheme = "test://";
/// What one client may have remembered.
constexpr std::size_t kMostWatched = 1000;
/// They change when somebody says so.
constexpr protocol::CacheHint kAMinute{.ttl_ms = 60'000, .is_public = true};

ExchangePtr make_exchange(const ClientMessage& message, const protocol::Era& era,
                          const Asker& asker) {
  auto exchange = std::make_shared<Exchange>();
  exchange->era = &era;
  exchange->principal = asker.credential->digest();
  exchange->caller = asker.caller;
  exchange->conversation = asker.conversation;
  if (era.handshake) {
    if (asker.conversation) {
      exchange->abilities = asker.conversation->abilities;
      exchange->log_level = asker.conversation->log_level;
    }
  } else {
    exchange->abilities = protocol::declared_abilities(message);
    exchange->log_level = protocol::find_log_level(message.meta_text(protocol::kMetaLogLevel));
  }
  simdjson::dom::element token;
  if (message.find_meta("progressToken", token) && (token.is_string() || token.is_int64()))
    exchange->progress_token = simdjson::minify(token);
  return exchange;
}

}  // namespace

bool Dialogue::takes(const ClientMessage& message) {
  if (message.method == "tools/call") return is_fixture_tool(message.text_param("name"));
  if (message.method == "resources/read") return message.text_param("uri").starts_with(kScheme);
  return std::ranges::find(kMethods, message.method) != kMethods.end();
}

std::optional<protocol::Refusal> Dialogue::check_headers(const ClientMessage& message,
                                                         const protocol::RequestHeaders& headers) {
  if (message.method != "tools/call") return std::nullopt;
  const auto annotated = fixture_param_headers(message.text_param("name"));
  simdjson::dom::object arguments;
  const bool given = message.params["arguments"].get(arguments) == simdjson::SUCCESS;
  return protocol::check_param_headers(annotated, given ? &arguments : nullptr, headers);
}

void Dialogue::serve(Key key, const ClientMessage& message, const protocol::Era& era,
                     const Asker& asker, Done done) {
  const auto exchange = make_exchange(message, era, asker);
  exchanges_[key] = exchange;
  exchange->finish = [this, key, done = std::move(done)](Answer answer) {
    const auto node = exchanges_.extract(key);  // alive until its own function has returned
    if (node.empty()) return;
    subscriptions_.end(key);
    done(std::move(answer));
  };
  handle(exchange, key, message);
}

void Dialogue::abandon(Key key) {
  const auto node = exchanges_.extract(key);
  if (node.empty()) return;
  questions_.withdraw(node.mapped()->question);
  subscriptions_.end(key);
}

void Dialogue::end_listening() {
  for (const auto key : subscriptions_.listeners()) {
    const auto found = exchanges_.find(key);
    if (found == exchanges_.end()) continue;
    const auto exchange = found->second;
    exchange->finish({.meta = subscriptions_.tag(key)});
  }
}

void Dialogue::handle(const ExchangePtr& exchange, Key key, const ClientMessage& message) {
  const auto& method = message.method;
  if (method == "tools/call") return call_fixture_tool(stage_, exchange, message);
  if (method == "resources/read") return read(*exchange, message);
  if (method == "prompts/list")
    return exchange->finish(
        {.members = fmt::format(R"("prompts":[{}])", render_fixture_prompts(stage_)),
         .hint = kAMinute});
  if (method == "prompts/get") return get_fixture_prompt(stage_, *exchange, message);
  if (method == "completion/complete") return exchange->finish(complete_fixture(message));
  if (method == "logging/setLevel") return set_level(*exchange, message);
  if (method == "subscriptions/listen") return listen(*exchange, key, message);
  watch(*exchange, message);
}

void Dialogue::read(const Exchange& exchange, const ClientMessage& message) const {
  const auto uri = message.text_param("uri");
  const auto content = read_fixture_resource(stage_, uri);
  exchange.finish(
      content ? Answer{.members = fmt::format(R"("contents":[{}])", *content), .hint = kAMinute}
              : Answer{.refusal = protocol::no_such_resource(*exchange.era, uri)});
}

void Dialogue::set_level(const Exchange& exchange, const ClientMessage& message) {
  const auto level = protocol::find_log_level(message.text_param("level"));
  if (!level)
    return exchange.finish(refused(protocol::kInvalidParams, "there is no such log level"));
  if (exchange.conversation) exchange.conversation->log_level = *level;
  exchange.finish({});
}

void Dialogue::watch(const Exchange& exchange, const ClientMessage& message) {
  const auto uri = message.text_param("uri");
  if (uri.empty()) return exchange.finish(refused(protocol::kInvalidParams, "uri is missing"));
  if (!exchange.conversation)
    return exchange.finish(
        refused(protocol::kInvalidRequest, "a subscription needs a session to belong to"));
  auto& watched = exchange.conversation->watched;
  if (message.method == "resources/unsubscribe") {
    watched.erase(std::string(uri));
  } else if (watched.size() >= kMostWatched && !watched.contains(uri)) {
    return exchange.finish(refused(protocol::kInvalidRequest, "too many subscriptions"));
  } else {
    watched.emplace(uri);
  }
  exchange.finish({});
}

void Dialogue::listen(const Exchange& exchange, Key key, const ClientMessage& message) {
  if (!exchange.caller)
    return exchange.finish(refused(protocol::kInvalidRequest, "there is no stream to listen on"));
  subscriptions_.listen(key, message.id, Subscriptions::read_filter(message), exchange.caller);
}

}  // namespace weighbridge::reference

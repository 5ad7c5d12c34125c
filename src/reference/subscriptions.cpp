#include "reference/subscriptions.h"

#include <fmt/format.h>

#include <utility>

#include "protocol/server_json.h"
#include "protocol/server_route.h"

namespace weighbridge::reference {
namespace {

using protocol::append_quoted;

/// `members`: of params, each with a comma behind it.
std::string tagged(std::string_view method, std::string_view members, std::string_view id) {
  return fmt::format(R"({{"jsonrpc":"2.0","method":"{}","params":{{{}"_meta":{{"{}":{}}}}}}})",
                     method, members, protocol::kMetaSubscription, id);
}

std::string render(const Subscriptions::Filter& filter) {
  std::string text;
  if (filter.tools) text += R"("toolsListChanged":true,)";
  if (filter.prompts) text += R"("promptsListChanged":true,)";
  if (!filter.resources.empty()) {
    text += R"("resourceSubscriptions":[)";
    for (const auto& uri : filter.resources) {
      append_quoted(text, uri);
      text += ',';
    }
    text.back() = ']';
    text += ',';
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

Subscriptions::Filter Subscriptions::read_filter(const protocol::ClientMessage& message) {
  Filter filter;
  simdjson::dom::object asked;
  if (!message.has_params || message.params["notifications"].get(asked) != simdjson::SUCCESS)
    return filter;
  const auto wants = [&](std::string_view name) {
    bool value = false;
    return asked[name].get(value) == simdjson::SUCCESS && value;
  };
  filter.tools = wants("toolsListChanged");
  filter.prompts = wants("promptsListChanged");
  simdjson::dom::array uris;
  if (asked["resourceSubscriptions"].get(uris) != simdjson::SUCCESS) return filter;
  for (const auto each : uris) {
    std::string_view uri;
    if (each.get(uri) == simdjson::SUCCESS) filter.resources.emplace(uri);
  }
  return filter;
}

void Subscriptions::listen(Key key, std::string id, Filter filter, std::shared_ptr<Caller> caller) {
  caller->tell(tagged("notifications/subscriptions/acknowledged",
                      fmt::format(R"("notifications":{{{}}},)", render(filter)), id));
  listeners_[key] = {.id = std::move(id), .filter = std::move(filter), .caller = std::move(caller)};
}

void Subscriptions::add(const std::shared_ptr<Conversation>& conversation) {
  std::erase_if(conversations_, [](const auto& each) { return each.expired(); });
  conversations_.push_back(conversation);
}

template <typename Wants, typename Watches>
void Subscriptions::announce(std::string_view method, std::string_view params, Wants wants,
                             Watches watches) {
  for (const auto& [key, listener] : listeners_)
    if (wants(listener.filter)) listener.caller->tell(tagged(method, params, listener.id));
  if (!params.empty()) params.remove_suffix(1);
  for (const auto& each : conversations_) {
    const auto conversation = each.lock();
    if (conversation && conversation->tell && watches(*conversation))
      conversation->tell(
          fmt::format(R"({{"jsonrpc":"2.0","method":"{}","params":{{{}}}}})", method, params));
  }
}

void Subscriptions::tools_changed() {
  announce(
      "notifications/tools/list_changed", "", [](const Filter& filter) { return filter.tools; },
      [](const Conversation& /*any*/) { return true; });
}

void Subscriptions::prompts_changed() {
  announce(
      "notifications/prompts/list_changed", "", [](const Filter& filter) { return filter.prompts; },
      [](const Conversation& /*any*/) { return true; });
}

void Subscriptions::resource_changed(std::string_view uri) {
  std::string params = R"("uri":)";
  append_quoted(params, uri);
  announce(
      "notifications/resources/updated", params + ',',
      [&](const Filter& filter) { return filter.resources.contains(uri); },
      [&](const Conversation& conversation) { return conversation.watched.contains(uri); });
}

std::vector<Subscriptions::Key> Subscriptions::listeners() const {
  std::vector<Key> keys;
  for (const auto& [key, listener] : listeners_) keys.push_back(key);
  return keys;
}

std::string Subscriptions::tag(Key key) const {
  return fmt::format(R"("{}":{})", protocol::kMetaSubscription, listeners_.at(key).id);
}

}  // namespace weighbridge::reference

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/server_message.h"
#include "reference/conversation.h"

namespace weighbridge::reference {

/// Who wants to know of changes: the listen streams of the stateless era, and the conversations of
/// the older ones.
class Subscriptions {
 public:
  using Key = std::uint64_t;

  /// What a subscriptions/listen asks for. What this server never tells of is left out.
  struct Filter {
    bool tools = false;
    bool prompts = false;
    std::set<std::string, std::less<>> resources = {};
  };
  static Filter read_filter(const protocol::ClientMessage& message);

  /// Acknowledges, and tells from now on. `id`: of the request, as JSON.
  void listen(Key key, std::string id, Filter filter, std::shared_ptr<Caller> caller);
  void end(Key key) { listeners_.erase(key); }
  /// Told of lists that changed, and of the resources it watches, for as long as it exists.
  void add(const std::shared_ptr<Conversation>& conversation);

  void tools_changed();
  void prompts_changed();
  void resource_changed(std::string_view uri);

  [[nodiscard]] std::vector<Key> listeners() const;
  /// The member of `_meta` that names a listener's subscription.
  [[nodiscard]] std::string tag(Key key) const;

 private:
  struct Listener {
    std::string id;
    Filter filter;
    std::shared_ptr<Caller> caller;
  };
  template <typename Wants, typename Watches>
  void announce(std::string_view method, std::string_view params, Wants wants, Watches watches);

  std::map<Key, Listener> listeners_;
  std::vector<std::weak_ptr<Conversation>> conversations_;
};

}  // namespace weighbridge::reference

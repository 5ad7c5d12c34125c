#pragma once

namespace weighbridge::protocol {

/// What a server can do beyond tools and resources that are read. Decides which methods there are,
/// and what initialize and server/discover declare.
struct ServerFeatures {
  bool prompts = false;
  bool completions = false;
  bool logging = false;
  /// Tells of changes: list_changed of tools and prompts, updates of resources.
  bool subscriptions = false;
};

}  // namespace weighbridge::protocol

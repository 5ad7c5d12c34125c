#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weighbridge::protocol {

/// What a client says it can be asked for. Nothing unless told: a load client could not answer as a
/// person would, servers offer more tools to those who declare more, and a handshake era then needs
/// no second stream.
struct ClientCapabilities {
  bool elicitation = false;  ///< forms; answered with the defaults of their schemas
  bool roots = false;        ///< answered with an empty list

  [[nodiscard]] bool any() const { return elicitation || roots; }
};

/// As it travels, in initialize and in `_meta`: a JSON object.
std::string render(const ClientCapabilities& capabilities);

/// The result for what a server asks of its client (elicitation/create, roots/list), as JSON;
/// nullopt when the client has not declared it.
std::optional<std::string> answer_for(const ClientCapabilities& capabilities,
                                      std::string_view method, std::string_view params);

/// The result of elicitation/create for a client without a person (SEP-1034): accepted with the
/// default of every property that has one. Declined when a required property has none, and when it
/// is no form (mode "url").
std::string elicit_defaults(std::string_view params);

}  // namespace weighbridge::protocol

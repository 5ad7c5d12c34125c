#pragma once

#include <optional>
#include <string_view>

namespace weighbridge::load::detail {

/// The two ends of a message; both are the whole of it when that is short.
struct Ends {
  std::string_view head;
  std::string_view tail;
};

/// The id of a message that is beyond doubt the plain answer to a request: the members jsonrpc, id
/// and result and no other, in any order, result an object, and not a word of an error anywhere in
/// what is given. nullopt for everything else, good or bad: then protocol::judge has to look.
///
/// `wants_complete`: a result that says another resultType than "complete" is not plain either.
std::optional<std::string_view> id_of_plain_answer(const Ends& ends, bool wants_complete);

}  // namespace weighbridge::load::detail

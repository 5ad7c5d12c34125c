#include "protocol/input_round.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/words.h"
#include "protocol/detail/members.h"
#include "protocol/json_text.h"

namespace weighbridge::protocol {
namespace {

using detail::find;
using detail::Members;

Members members_of(std::string_view object) {
  if (object.size() > detail::kWholeWalkLimit)
    if (auto members = detail::read_edge_members(object)) return std::move(*members);
  return detail::read_members(object).value_or(Members{});
}

std::string type_of(const Members& result) {
  const auto type = find(result, "resultType");
  if (type.empty()) return "complete";
  return unquote(type).value_or(std::string(type));
}

std::string wanted(const Members& result) {
  std::vector<std::string> requests;
  if (const auto asked = detail::read_members(find(result, "inputRequests")))
    for (const auto& request : *asked) {
      const auto members = detail::read_members(request.value).value_or(Members{});
      requests.push_back(fmt::format(
          "{} for \"{}\"", unquote(find(members, "method")).value_or("something"), request.key));
    }
  return requests.empty() ? "another round" : fmt::format("{}", fmt::join(requests, ", "));
}

/// A round's own members are of that round alone: what an earlier one carried does not travel on.
std::string with_members(const Members& params, const std::vector<std::string>& added) {
  std::vector<std::string> members;
  for (const auto& member : params)
    if (member.key != "inputResponses" && member.key != "requestState")
      members.push_back(fmt::format(R"("{}":{})", member.key, member.value));
  members.insert(members.end(), added.begin(), added.end());
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

}  // namespace

std::string result_type(std::string_view result) {
  return type_of(members_of(result));
}

std::string input_wanted(std::string_view result) {
  return wanted(members_of(result));
}

Result<std::optional<std::string>> next_round(std::string_view params, std::string_view result,
                                              const ClientCapabilities& capabilities) {
  const Members members = members_of(result);
  const std::string type = type_of(members);
  if (type == "complete") return std::nullopt;
  if (type != "input_required")
    return fail(ErrorCode::target,
                fmt::format("unknown resultType {}", quote(first_words(type, 40))));

  std::vector<std::string> responses;
  const auto asked = find(members, "inputRequests");
  if (!asked.empty()) {
    WB_TRY(const Members requests, detail::read_members(asked));
    for (const auto& request : requests) {
      const auto described = detail::read_members(request.value).value_or(Members{});
      const std::string method = unquote(find(described, "method")).value_or("");
      const auto answer = answer_for(capabilities, method, find(described, "params"));
      if (!answer)
        return fail(ErrorCode::target,
                    fmt::format("it needs input that this client has not declared: {}",
                                first_words(wanted(members), 160)));
      responses.push_back(fmt::format(R"("{}":{})", request.key, *answer));
    }
  }
  std::vector<std::string> added;
  if (!responses.empty())
    added.push_back(fmt::format(R"("inputResponses":{{{}}})", fmt::join(responses, ",")));
  if (const auto state = find(members, "requestState"); !state.empty())
    added.push_back(fmt::format(R"("requestState":{})", state));
  if (added.empty())
    return fail(ErrorCode::target,
                "it says input_required with neither inputRequests nor requestState");
  WB_TRY(const Members own, detail::read_members(trim(params).empty() ? "{}" : params));
  return with_members(own, added);
}

}  // namespace weighbridge::protocol

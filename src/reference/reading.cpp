#include "reference/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "protocol/server_json.h"

namespace weighbridge::reference {
namespace {

using protocol::append_quoted;

constexpr std::array kEntries{
    ResourceEntry{.uri = "gitlab://guide",
                  .name = "guide",
                  .title = "How to use this server",
                  .description = "Which tools there are on this surface and how to call them.",
                  .media_type = "text/markdown"},
    ResourceEntry{.uri = "gitlab://areas",
                  .name = "areas",
                  .title = "Areas of the GitLab API",
                  .description = "What can be done, by area, with the number of actions in each.",
                  .media_type = "text/markdown"},
    ResourceEntry{.uri = "gitlab://actions",
                  .name = "actions",
                  .title = "All actions",
                  .description = "Every action's id, method, path and title, separated by tabs.",
                  .media_type = "text/tab-separated-values"},
};

constexpr std::string_view kAddresses =
    "\nA project or group is addressed by its number or its full path, as `group/name`. Things "
    "inside a project go by iid, the number in their web address.\n\n"
    "Answers have `status`, `data` and, for lists, `pagination`. Calls are made with your own "
    "GitLab token: PRIVATE-TOKEN or Authorization: Bearer over HTTP, GITLAB_TOKEN on stdio.\n";

std::string guide(Surface surface) {
  std::string text = "# GitLab through this server\n\n";
  switch (surface) {
    case Surface::dynamic:
      text +=
          "1. `gitlab_find_action` with a query such as \"list issues\" finds actions.\n"
          "2. `gitlab_execute_action` with the id found and its parameters carries one out.\n";
      break;
    case Surface::meta:
      text +=
          "Each tool stands for one area: `gitlab_issues`, `gitlab_merge_requests` and so on. "
          "Give it an `action` and the `params` of that action.\n";
      break;
    case Surface::individual:
      text +=
          "Each tool is one operation, named noun and verb: `gitlab_issues_list`, "
          "`gitlab_merge_request_create`.\n";
      break;
  }
  text += "\n`gitlab_server_status` tells whether GitLab can be reached with your token.\n";
  return text.append(kAddresses);
}

std::string areas(const Catalogue& catalogue) {
  const auto groups = catalogue.words().all(Words::Kind::group);
  std::vector<std::size_t> counts(groups.size() + 1);
  for (const auto& operation : catalogue.operations()) ++counts[operation.group];
  std::string text = "| area | actions | what it is about |\n|---|---|---|\n";
  for (std::size_t i = 0; i < groups.size(); ++i)
    text += fmt::format("| {} | {} | {} |\n", groups[i].key, counts[i + 1], groups[i].columns[1]);
  return text;
}

std::string actions(const Catalogue& catalogue) {
  std::string text = "id\tmethod\tpath\ttitle\n";
  for (const auto& operation : catalogue.operations())
    text += fmt::format("{}\t{}\t{}\t{}\n", operation.id, to_string(operation.method),
                        operation.path, operation.title);
  return text;
}

}  // namespace

std::span<const ResourceEntry> resource_entries() {
  return kEntries;
}

std::string render_resource_entries() {
  std::string out;
  for (const auto& entry : kEntries) {
    out += fmt::format(R"({}{{"uri":"{}","name":"{}","title":)", out.empty() ? "" : ",", entry.uri,
                       entry.name);
    append_quoted(out, entry.title);
    out += R"(,"description":)";
    append_quoted(out, entry.description);
    out += fmt::format(R"(,"mimeType":"{}"}})", entry.media_type);
  }
  return out;
}

std::optional<std::string> read_resource(std::string_view uri, const Catalogue& catalogue,
                                         Surface surface) {
  const auto* const entry = std::ranges::find(kEntries, uri, &ResourceEntry::uri);
  if (entry == kEntries.end()) return std::nullopt;
  const auto text = entry->name == "guide"   ? guide(surface)
                    : entry->name == "areas" ? areas(catalogue)
                                             : actions(catalogue);
  std::string out = fmt::format(R"({{"uri":"{}","mimeType":"{}","text":)", uri, entry->media_type);
  append_quoted(out, text);
  return out.append("}");
}

}  // namespace weighbridge::reference

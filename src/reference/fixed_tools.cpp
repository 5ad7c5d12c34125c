#include "reference/fixed_tools.h"

#include <fmt/format.h>

#include "protocol/server_json.h"

namespace weighbridge::reference {
namespace {

using protocol::append_quoted;

constexpr std::string_view kFindIntroduction =
    R"(Finds the actions of GitLab's REST API that fit what you want to do, best first. Always begin here: this server knows {} actions, too many to list, and gitlab_execute_action needs the exact id of one of them and parameters by the names that its schema gives.

How to ask
- Say what you want in a few plain words, a verb and a thing: "list issues", "create merge request", "download job artifacts", "protect a branch", "retry a pipeline", "add a member to a group".
- Use GitLab's own words where you know them; everyday ones are understood too (PR, repo, ticket, comment, secret, log, sprint).
- Actions on a project have the short names. Say "group", "user", "instance" or "my own" when you mean another place: "list group issues", "create group label", "list my snippets".
- Write the query in English. Leave out names, numbers and paths of your own things: they are parameters, not part of the action.
- One query for one step of a task.

What comes back
Each hit has the action's id (noun.verb, such as issues.list or merge_request.create), what it does, the HTTP method and path behind it, a score to compare hits of one query with, whether it only reads or also destroys, and the schema of its parameters, so that no further look-up is needed. Nothing is sent to GitLab by searching, and the same query always gives the same answer.

If nothing fits, use fewer or more general words, or name the thing alone ("runner") to see all that can be done with it.

Areas)";

constexpr std::string_view kFindSchemas =
    R"(,"inputSchema":{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":500,"description":"What you want to do, in a few words: a verb and a thing."},"limit":{"type":"integer","minimum":1,"maximum":50,"default":20,"description":"How many actions to answer at most."},"explain":{"type":"boolean","default":false,"description":"Also tell for each action which words of the query matched and how much each added to the score."}},"required":["query"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"query":{"type":"string","description":"The query as asked."},"total":{"type":"integer","description":"How many actions matched at all."},"actions":{"type":"array","description":"The best matches, best first.","items":{"type":"object","properties":{"id":{"type":"string","description":"Name to give to gitlab_execute_action."},"title":{"type":"string","description":"What it does, in one line."},"method":{"type":"string","enum":["GET","POST","PUT","PATCH","DELETE"],"description":"HTTP method of the operation."},"path":{"type":"string","description":"Path of the operation under /api/v4."},"area":{"type":"string","description":"The area it belongs to."},"score":{"type":"number","description":"How well it fits; comparable within one answer only."},"read_only":{"type":"boolean","description":"Whether it leaves everything as it is."},"destructive":{"type":"boolean","description":"Whether it deletes something."},"parameters":{"type":"object","description":"JSON Schema of the params to give to gitlab_execute_action."},"why":{"type":"array","description":"With explain: the words that matched and what each added.","items":{"type":"object","properties":{"word":{"type":"string"},"added":{"type":"number"}}}}},"required":["id","title","method","path","score","parameters"]}}},"required":["query","total","actions"]},"annotations":{"title":"Find a GitLab action","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}})";

constexpr std::string_view kExecuteDescription =
    R"(Carries out one action of GitLab's REST API with the caller's own credential and answers what GitLab answered. Ask gitlab_find_action for the id and the parameters first; do not guess them.

How to call
- action: the id, exactly as found, for example issues.list.
- params: an object with the parameters by name. Required ones must be there; leave out those you do not need rather than sending empty values.
- A project or group is its number or its full path as people write it (group/subgroup/name); special characters in it are taken care of.
- Things inside a project are addressed by iid, the number in their web address (issue 12 is issue_iid 12), unless the parameter is called id.
- Filters that leave something out are nested: {"not":{"labels":["wontfix"]}}.
- Times are ISO 8601 with zone (2026-01-31T08:00:00Z), days YYYY-MM-DD.
- A file to upload is an object: {"filename":"a.txt","content":"..."}, with "encoding":"base64" if it is not text.

What comes back
status is the HTTP status. data holds GitLab's JSON: a record, or an array for a list. Lists come in pages: pagination tells page, next_page and, where GitLab counts them, total; call again with page set to next_page for more, and set per_page (up to 100) when you expect many. Content that is not JSON (files, logs, archives) comes as text, or as base64 with its content_type.

When it fails
The answer is marked as an error and says why: a missing or unknown parameter, with the nearest known name; or GitLab's own status and message. 401: the credential is missing or not accepted. 403: it may not do this. 404: the thing does not exist, or may not be seen with this credential. 409 and 422: GitLab refused the values, see the message. 429: too many calls, wait a moment. Calls that only read may be repeated as they are; before repeating a call that changes something, check whether it took effect.

Actions whose method is DELETE destroy for good. Ask the person before calling them, and before merging, transferring, archiving or changing who may see or do something.)";

constexpr std::string_view kExecuteSchemas =
    R"(,"inputSchema":{"type":"object","properties":{"action":{"type":"string","description":"Id of the action, as gitlab_find_action gave it.","pattern":"^[a-z0-9_]+[._][a-z0-9_]+$","examples":["issues.list","merge_request.create","job_artifacts.download"]},"params":{"type":"object","description":"Parameters of the action by name, as its schema says.","additionalProperties":true,"examples":[{"id":"group/project","state":"opened","per_page":50},{"id":42,"source_branch":"fix","target_branch":"main","title":"Fix the build"}]}},"required":["action"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"status":{"type":"integer","description":"HTTP status of GitLab's answer."},"data":{"description":"GitLab's answer: a record, or an array for a list."},"pagination":{"type":"object","description":"Where this page stands in the list.","properties":{"page":{"type":"integer","description":"Number of this page."},"per_page":{"type":"integer","description":"Entries on a page."},"next_page":{"type":"integer","description":"Number of the next page; absent on the last."},"total":{"type":"integer","description":"Entries in all, where GitLab counts them."},"total_pages":{"type":"integer","description":"Pages in all, where GitLab counts them."}}},"content_type":{"type":"string","description":"Media type of content that is not JSON."},"text":{"type":"string","description":"Content that is not JSON, when it is text."},"base64":{"type":"string","description":"Content that is not JSON, when it is not text either."}},"required":["status"]},"annotations":{"title":"Execute a GitLab action","readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}})";

constexpr std::string_view kServerStatusTool =
    R"({"name":"gitlab_server_status","title":"Server status","description":"Tells how this server is and whether GitLab can be reached: asks GitLab for its version with your credential and answers it with this server's own version, surface and uptime. Takes no arguments and changes nothing. A good first call to see whether address and credential are right.","inputSchema":{"type":"object","properties":{},"additionalProperties":false},"outputSchema":{"type":"object","properties":{"server":{"type":"object","description":"This server.","properties":{"name":{"type":"string"},"version":{"type":"string"},"surface":{"type":"string","enum":["dynamic","meta","individual"]},"actions":{"type":"integer","description":"How many actions it knows."},"uptime_seconds":{"type":"number"}}},"gitlab":{"type":"object","description":"The GitLab instance.","properties":{"url":{"type":"string"},"reachable":{"type":"boolean"},"version":{"type":["string","null"]},"revision":{"type":["string","null"]},"problem":{"type":"string","description":"Why it could not be reached or did not answer."}}}},"required":["server","gitlab"]},"annotations":{"title":"Server status","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}})";

constexpr std::string_view kNullToolText =
    R"({"name":"null","title":"Do nothing","description":"Does nothing and answers at once. For measuring what a call costs when it has no work to do, or exactly the work that its arguments name.","inputSchema":{"type":"object","properties":{"cpu":{"type":"string","description":"Processor time to burn: 5ms."},"delay":{"type":"string","description":"Time to hold the answer back."},"leak":{"type":"string","description":"Memory to hold for ever, or for a time: 4KiB, 4KiB/1s."},"peak":{"type":"string","description":"Memory to take for 20ms, or for another time."},"bytes":{"type":"string","description":"Text to answer with."},"fds":{"type":"integer"},"threads":{"type":"integer"},"children":{"type":"integer"}},"additionalProperties":false},"annotations":{"title":"Do nothing","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}})";

std::string render_execute_action() {
  std::string tool = R"({"name":"gitlab_execute_action","title":"Execute a GitLab action",)"
                     R"("description":)";
  append_quoted(tool, kExecuteDescription);
  return tool.append(kExecuteSchemas);
}

}  // namespace

std::string find_action_tool(const Catalogue& catalogue) {
  auto description = fmt::format(fmt::runtime(kFindIntroduction), catalogue.operations().size());
  for (const auto& group : catalogue.words().all(Words::Kind::group))
    description.append("\n- ").append(group.key).append(": ").append(group.columns[1]);
  std::string tool =
      R"({"name":"gitlab_find_action","title":"Find a GitLab action","description":)";
  append_quoted(tool, description);
  return tool.append(kFindSchemas);
}

std::string_view execute_action_tool() {
  static const std::string tool = render_execute_action();
  return tool;
}

std::string_view server_status_tool() {
  return kServerStatusTool;
}

std::string_view null_tool() {
  return kNullToolText;
}

}  // namespace weighbridge::reference

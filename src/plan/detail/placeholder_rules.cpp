#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/words.h"
#include "plan/detail/rules.h"
#include "plan/placeholders.h"

namespace weighbridge::plan::detail {
namespace {

using Names = std::vector<std::string>;

const Names kAll{"port", "upstream", "otlp", "credential", "max_credentials", "plan_dir"};
const Names kStdioProcess{"upstream", "credential", "max_credentials", "plan_dir"};
const Names kHttpProcess{"port", "upstream", "max_credentials", "plan_dir"};

bool holds(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string in_braces(const Names& names) {
  return names.empty() ? "none" : fmt::format("{{{}}}", fmt::join(names, "}, {"));
}

/// What a server of every transport in the plan can be told: arguments of variants reach them all.
Names common_to_processes(const Plan& plan) {
  if (!plan.http || plan.http->command.empty()) return kStdioProcess;
  if (!plan.stdio) return kHttpProcess;
  Names both;
  std::ranges::copy_if(kStdioProcess, std::back_inserter(both),
                       [](const std::string& name) { return holds(kHttpProcess, name); });
  return both;
}

class Judge {
 public:
  explicit Judge(const Plan& plan) : plan_(plan) {}

  void text(const std::string& text, const std::string& key, const Names& allowed) {
    for (const std::string& name : placeholders_in(text)) {
      if (!objection_) objection_ = judge(name, key, allowed);
    }
  }
  void texts(const std::vector<std::string>& texts, const std::string& key, const Names& allowed) {
    for (std::size_t i = 0; i < texts.size(); ++i)
      text(texts[i], fmt::format("{}[{}]", key, i), allowed);
  }
  void environment(const Environment& env, const std::string& key, const Names& allowed) {
    for (const auto& [name, value] : env) text(value, fmt::format("{}.{}", key, name), allowed);
  }
  [[nodiscard]] const Verdict& verdict() const { return objection_; }

 private:
  [[nodiscard]] Verdict judge(const std::string& name, const std::string& key,
                              const Names& allowed) const {
    if (!holds(kAll, name)) {
      const std::string near = nearest_word(name, kAll);
      return Objection{key, fmt::format("`{{{}}}` is no placeholder", name),
                       near.empty() ? fmt::format("Placeholders here: {}", in_braces(allowed))
                                    : fmt::format("Did you mean {{{}}}?", near)};
    }
    if (name == "otlp" && !holds(allowed, name))
      return Objection{key, "{otlp} can be used only in args and env of [standin.otlp]",
                       "Move it there: it is for the scenarios with telemetry alone"};
    if (!holds(allowed, name))
      return Objection{key, fmt::format("{{{}}} has no value here", name),
                       fmt::format("Placeholders here: {}", in_braces(allowed))};
    if (name == "upstream" && !plan_.upstream)
      return Objection{key, "{upstream} needs a [standin.upstream] table",
                       "Add one with its routes, or write the address itself"};
    if (name == "plan_dir" && plan_.path.empty())
      return Objection{key, "{plan_dir} has a value only in a plan file", "Write the path itself"};
    return std::nullopt;
  }

  const Plan& plan_;
  Verdict objection_;
};

}  // namespace

Verdict judge_placeholders(const Plan& plan) {
  Judge judge(plan);
  if (plan.stdio) {
    judge.texts(plan.stdio->command, "target.stdio.command", kStdioProcess);
    judge.environment(plan.stdio->env, "target.stdio.env", kStdioProcess);
    judge.text(plan.stdio->directory, "target.stdio.directory", {"plan_dir"});
    if (plan.stdio->credential)
      judge.text(plan.stdio->credential->value, "target.stdio.credential.value", {"credential"});
  }
  if (plan.http) {
    judge.texts(plan.http->command, "target.http.command", kHttpProcess);
    judge.environment(plan.http->env, "target.http.env", kHttpProcess);
    judge.text(plan.http->directory, "target.http.directory", {"plan_dir"});
    judge.text(plan.http->url, "target.http.url", {"port"});
    judge.text(plan.http->ca_file, "target.http.ca_file", {"plan_dir"});
    judge.text(plan.http->proxy, "target.http.proxy", {});
    for (const auto& [name, value] : plan.http->headers)
      judge.text(value, "target.http.headers." + name, {"credential"});
    if (plan.http->credential)
      judge.text(plan.http->credential->value, "target.http.credential.value", {"credential"});
  }
  if (plan.publish) {
    judge.text(plan.publish->record, "publish.record", {"plan_dir"});
    judge.texts(plan.publish->pages, "publish.pages", {"plan_dir"});
  }
  Names common = common_to_processes(plan);
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    judge.texts(plan.variants[i].args, fmt::format("variant[{}].args", i), common);
    judge.environment(plan.variants[i].env, fmt::format("variant[{}].env", i), common);
  }
  judge.texts(plan.run.args, "run.args", common);
  judge.environment(plan.run.env, "run.env", common);
  if (plan.otlp) {
    common.emplace_back("otlp");
    judge.texts(plan.otlp->args, "standin.otlp.args", common);
    judge.environment(plan.otlp->env, "standin.otlp.env", common);
  }
  return judge.verdict();
}

}  // namespace weighbridge::plan::detail

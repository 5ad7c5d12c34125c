#include "plan/detail/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/units.h"
#include "base/words.h"
#include "plan/detail/json_value.h"

namespace weighbridge::plan::detail {
namespace {

constexpr int kMostClients = 100'000;
constexpr int kMostParallel = 10'000;
constexpr int kMostRounds = 1'000'000;
constexpr int kMostRepeats = 1'000;
constexpr std::size_t kLongestName = 64;
constexpr std::uint64_t kLargestBody = 1024ULL * 1024 * 1024;

struct Range {
  std::string key;
  std::int64_t value;
  std::int64_t low;
  std::int64_t high;
};

/// "run.rounds" as the file has it: `rounds`.
std::string_view last_word(std::string_view key) {
  return key.substr(key.rfind('.') + 1);
}

Verdict judge_range(const Range& range) {
  if (range.value >= range.low && range.value <= range.high) return std::nullopt;
  return Objection{
      range.key,
      fmt::format("`{}` must be {} to {}", last_word(range.key), range.low, range.high),
      {}};
}

bool is_name(const std::string& name, std::string_view beyond) {
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || beyond.find(c) != beyond.npos;
  });
}

bool is_revision(const std::string& protocol) {
  constexpr std::string_view kShape = "dddd-dd-dd";
  return protocol.size() == kShape.size() &&
         std::ranges::equal(protocol, kShape, [](char c, char shape) {
           return shape == 'd' ? c >= '0' && c <= '9' : c == shape;
         });
}

Verdict judge_head(const Plan& plan) {
  if (plan.schema != 1)
    return Objection{"schema", fmt::format("plan schema {} is not known here", plan.schema),
                     "Write schema = 1, or use the version of weighbridge that the plan is for"};
  if (!is_name(plan.name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-. "))
    return Objection{"name", "a plan's name is at most 64 letters, digits, spaces and _ - .",
                     "It names files and headings"};
  if (plan.protocol != "auto" && !is_revision(plan.protocol))
    return Objection{"protocol",
                     fmt::format("\"{}\" is no revision of the protocol", plan.protocol),
                     "Write \"auto\", or a revision's date as in \"2025-11-25\""};
  for (std::size_t i = 0; i < plan.strip_env.size(); ++i) {
    if (plan.strip_env[i].empty())
      return Objection{fmt::format("strip_env[{}]", i), "an empty pattern strips nothing",
                       "Write for example \"GITLAB_*\""};
  }
  return std::nullopt;
}

Verdict judge_call(const CallSpec& call, const std::string& key) {
  if (call.tool.empty())
    return Objection{key, "a call needs the name of its tool",
                     "Write tool = \"…\", or leave out call: then a read-only tool is chosen"};
  if (!is_json_object(call.arguments))
    return Objection{key + ".arguments", "`arguments` must be the text of one JSON object",
                     "Write a table: arguments = { query = \"list issues\" }"};
  if (call.expect.min_bytes && call.expect.max_bytes &&
      *call.expect.min_bytes > *call.expect.max_bytes)
    return Objection{key + ".expect.min_bytes", "`min_bytes` is larger than `max_bytes`",
                     "No reply could ever be served"};
  const bool has_pointer = !call.expect.pointer.empty();
  if (has_pointer && !call.expect.pointer.starts_with('/'))
    return Objection{key + ".expect.pointer",
                     fmt::format("\"{}\" is no JSON pointer", call.expect.pointer),
                     "It begins at the result: pointer = \"/content/0/text\""};
  if (!has_pointer && (!call.expect.value.empty() || call.expect.count))
    return Objection{key + ".expect", "`value` and `count` need a `pointer`",
                     "Say where: pointer = \"/structuredContent/items\""};
  return std::nullopt;
}

Verdict judge_variants(const Plan& plan) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    const Variant& variant = plan.variants[i];
    const std::string key = fmt::format("variant[{}]", i);
    if (variant.name.empty()) return Objection{key, "a variant needs a name", "Write name = \"…\""};
    if (!is_name(variant.name, "_-"))
      return Objection{
          key + ".name",
          fmt::format(
              "\"{}\" cannot name a variant: lower-case letters, digits, _ and -, at most {}",
              variant.name, kLongestName),
          "It becomes part of the names of scenarios, as in http-dynamic"};
    if (!names.insert(variant.name).second)
      return Objection{key + ".name", fmt::format("two variants are called \"{}\"", variant.name),
                       "Rename one of them"};
    if (auto no = judge_range({key + ".parallel", variant.parallel, 1, kMostParallel})) return no;
    if (auto no = judge_environment(variant.env, key + ".env")) return no;
    if (!variant.call) continue;
    if (auto no = judge_call(*variant.call, key + ".call")) return no;
  }
  if (names.empty())
    return Objection{"variant", "the plan has no variant", "Name one, with no more than its name"};
  return std::nullopt;
}

Verdict judge_telemetry(const Plan& plan) {
  std::vector<std::string> names;
  for (const Variant& variant : plan.variants) names.push_back(variant.name);
  const auto exists = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::set<std::string> seen;
  for (std::size_t i = 0; i < plan.run.telemetry.size(); ++i) {
    const std::string& name = plan.run.telemetry[i];
    const std::string key = fmt::format("run.telemetry[{}]", i);
    if (!exists(name)) {
      const std::string near = nearest_word(name, names);
      return Objection{
          key, fmt::format("there is no variant \"{}\" to measure with telemetry", name),
          near.empty() ? fmt::format("Add a [[variant]] of that name, or remove it here")
                       : fmt::format("Did you mean \"{}\"?", near)};
    }
    if (!seen.insert(name).second)
      return Objection{key, fmt::format("\"{}\" stands twice in telemetry", name), "Remove one"};
    if (exists(name + "-telemetry"))
      return Objection{
          key,
          fmt::format("the scenario \"{0}\" with telemetry and the variant \"{0}-telemetry\" would "
                      "have the same name",
                      name),
          "Rename the variant"};
  }
  if (!seen.empty() && !plan.otlp)
    return Objection{"run.telemetry", "telemetry needs a [standin.otlp] table",
                     "Say there how telemetry is turned on, for example env = { "
                     "OTEL_EXPORTER_OTLP_ENDPOINT = \"{otlp}\" }"};
  return std::nullopt;
}

Verdict judge_run(const Plan& plan) {
  const RunSettings& run = plan.run;
  const Range ranges[] = {{"run.stdio_clients", run.stdio_clients, 1, kMostClients},
                          {"run.http_clients", run.http_clients, 1, kMostClients},
                          {"run.rounds", run.rounds, 1, kMostRounds},
                          {"run.repeat", run.repeat, 1, kMostRepeats}};
  for (const Range& range : ranges) {
    if (auto no = judge_range(range)) return no;
  }
  struct Span {
    const char* key;
    Duration value;
    Duration low;
  };
  // Sampling faster than once a millisecond would weigh the scale, not the server.
  const Span spans[] = {{"run.sample_interval", run.sample_interval, 1ms},
                        {"run.ready_timeout", run.ready_timeout, 1ms},
                        {"run.call_timeout", run.call_timeout, 1ms},
                        {"run.first_list_timeout", run.first_list_timeout, 1ms}};
  for (const Span& span : spans) {
    if (span.value < span.low)
      return Objection{
          span.key,
          fmt::format("`{}` must be at least {}", last_word(span.key), format_duration(span.low)),
          {}};
  }
  if (auto no = judge_environment(run.env, "run.env")) return no;
  return judge_telemetry(plan);
}

Verdict judge_refusals(const Plan& plan) {
  for (std::size_t i = 0; i < plan.refusals.size(); ++i) {
    const RefusalRule& rule = plan.refusals[i];
    const std::string key = fmt::format("refusal[{}]", i);
    if (rule == RefusalRule{})
      return Objection{key, "a refusal that names nothing would match every reply",
                       "Give at least one of status, code, is_error, text_prefix"};
    if (!rule.status) continue;
    if (auto no = judge_range({key + ".status", *rule.status, 100, 599})) return no;
  }
  return std::nullopt;
}

Verdict judge_upstream(const Upstream& upstream) {
  for (std::size_t i = 0; i < upstream.routes.size(); ++i) {
    const Route& route = upstream.routes[i];
    const std::string key = fmt::format("standin.upstream.routes[{}]", i);
    if (!route.path.starts_with('/'))
      return Objection{key + ".path", "a route's path begins with /",
                       "Write for example path = \"/api/v4/version\""};
    if (!std::ranges::all_of(route.method, [](char c) { return c >= 'A' && c <= 'Z'; }))
      return Objection{key + ".method", fmt::format("\"{}\" is no HTTP method", route.method),
                       "Write for example \"GET\", or leave it out: then any method will do"};
    if (auto no = judge_range({key + ".status", route.status, 200, 599})) return no;
    if (route.body_bytes && !route.body.empty())
      return Objection{key + ".body_bytes", "a route has either a body or `body_bytes`, not both",
                       "Remove one of them"};
    if (route.body_bytes > kLargestBody)
      return Objection{
          key + ".body_bytes",
          fmt::format("`body_bytes` must be at most {}", format_size_binary(kLargestBody)),
          "It is held in memory"};
    for (const auto& [name, value] : route.headers) {
      if (auto no = judge_field(name, value, key + ".headers")) return no;
    }
  }
  return std::nullopt;
}

Verdict judge_publish(const Publish& publish) {
  if (publish.record.empty())
    return Objection{"publish", "[publish] needs the path of the record",
                     "Write record = \"docs/results/NAME.json\""};
  std::set<std::string> paths{publish.record};
  for (std::size_t i = 0; i < publish.pages.size(); ++i) {
    const std::string key = fmt::format("publish.pages[{}]", i);
    if (publish.pages[i].empty()) return Objection{key, "a page needs a path", {}};
    if (!paths.insert(publish.pages[i]).second)
      return Objection{key, fmt::format("\"{}\" is published twice", publish.pages[i]),
                       "One file would overwrite the other"};
  }
  return std::nullopt;
}

}  // namespace

Verdict judge_environment(const Environment& env, const std::string& key) {
  for (const auto& [name, value] : env) {
    if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos)
      return Objection{key, fmt::format("\"{}\" cannot name a variable", name),
                       "A name is not empty and has no ="};
    if (value.find('\0') != std::string::npos)
      return Objection{fmt::format("{}.{}", key, name),
                       fmt::format("the value of {} holds a zero byte", name),
                       {}};
  }
  return std::nullopt;
}

Verdict first_objection(const Plan& plan) {
  if (auto no = judge_head(plan)) return no;
  if (auto no = judge_targets(plan)) return no;
  if (auto no = judge_variants(plan)) return no;
  if (auto no = judge_refusals(plan)) return no;
  if (plan.upstream) {
    if (auto no = judge_upstream(*plan.upstream)) return no;
  }
  if (plan.otlp) {
    if (auto no = judge_environment(plan.otlp->env, "standin.otlp.env")) return no;
  }
  if (auto no = judge_run(plan)) return no;
  if (plan.publish) {
    if (auto no = judge_publish(*plan.publish)) return no;
  }
  return judge_placeholders(plan);
}

}  // namespace weighbridge::plan::detail

#include "cli/words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "base/units.h"
#include "base/words.h"
#include "cli/version.h"

namespace weighbridge::cli {
namespace {

constexpr const char* kAbout =
    "Weighs MCP servers: memory, processor time, threads and latency, on stdio and over HTTP.";

constexpr const char* kExamples = R"(
Examples:
  weighbridge run -- npx -y @modelcontextprotocol/server-everything stdio
  weighbridge run plans/reference.toml
  weighbridge load --url http://127.0.0.1:3001/mcp --rate 200 --duration 30s
  weighbridge calibrate --quick
  weighbridge report weighbridge-results/reference-20261130T170000Z/record.json

`weighbridge COMMAND --help` tells more.
Exit codes: 0 done, 1 a gate or check said no, 2 the words or the plan are wrong, 3 the server could not be started,
4 the run broke off (the record holds what was measured), 130 interrupted (likewise).)";

constexpr const char* kRunForms = R"(
Ways to name a server:
  weighbridge run PLAN                        what a plan file describes
  weighbridge run -- COMMAND…                 a server on stdio
  weighbridge run --url URL [--pid PID]       a server that runs already, here or elsewhere
  weighbridge run --url 'http://127.0.0.1:{port}/mcp' -- COMMAND… --port {port}
                                              a server to start that listens on a port
  weighbridge run --config FILE [--server NAME]
                                              a server in the file of an MCP client: mcp.json,
                                              .mcp.json, .vscode/mcp.json or
                                              claude_desktop_config.json

Examples:
  weighbridge run -- npx -y @modelcontextprotocol/server-everything stdio
  weighbridge run --quick --tool echo --arguments '{"message":"hi"}' --expect hi -- my-server
  weighbridge run --url http://127.0.0.1:3001/mcp --pid 4711 --header 'X-Team: search'
  weighbridge run --url http://127.0.0.1:{port}/mcp --credential 'PRIVATE-TOKEN: token-{credential}' \
                  -- my-server --port {port}
  weighbridge run --url https://mcp.example.com/mcp --bearer-env EXAMPLE_TOKEN --clients 2
  weighbridge run --config .vscode/mcp.json --server github --input github_token=…
  weighbridge run plans/reference.toml --only 'http-*' -o http-only

Durations are written 10s, 500ms, 2m. What is measured, and how: docs/method.md.)";

constexpr const char* kLoadForms = R"(
The server is named as for `weighbridge run`: PLAN, -- COMMAND…, --url, --config.

Examples:
  weighbridge load -- npx -y @modelcontextprotocol/server-everything stdio
  weighbridge load --url http://127.0.0.1:3001/mcp --credentials 16 --duration 30s
  weighbridge load --url http://127.0.0.1:3001/mcp --rate 500 --poisson
  weighbridge load --url http://127.0.0.1:3001/mcp --tool echo \
                   --arguments '{"message":"{nonce} {payload:1000}"}' --step 100,200,400
  weighbridge load plans/reference.toml --only http-dynamic --until 'p99>200ms'
  weighbridge load --url http://127.0.0.1:3001/mcp --profile 10-200:30s,200:1m \
                   --mix tools/list=1,tools/call:echo=9

In arguments {n} is the call's number, {uuid} a random one, {payload:N} N random characters, and {nonce}
a word that the answer must show again. Latency counts from the instant a call was due.)";

constexpr const char* kCalibrateExamples = R"(
Weighs the known weights of the reference server, the null weight first, and says how far off the
figures are on this host. Later runs of the same build on the same host carry the answer, and their
reports show it. A full calibration takes up to five minutes; let the machine be idle meanwhile.
It is kept in $XDG_STATE_HOME/weighbridge (~/.local/state/weighbridge), besides the results.

Examples:
  weighbridge calibrate
  weighbridge calibrate --quick
  weighbridge calibrate --only 'cpu-*' -v

Exit codes: 0 every weight is within its bound, 1 some are not or could not be judged.)";

constexpr const char* kReportExamples = R"(
Examples:
  weighbridge report record.json
  weighbridge report record.json --format markdown > report.md
  weighbridge report record.json -o pages)";

constexpr const char* kPlanExamples = R"(
Examples:
  weighbridge plan plans/reference.toml
  weighbridge plan --check plans/reference.toml
  weighbridge plan --config .mcp.json --server github)";

/// What CLI11 fills in, and what only its own checks can turn into words.
struct Draft {
  RunWords run;
  std::string sample_interval;
  std::string ready_timeout;
  std::string call_timeout;
  ReportWords report;
  std::string format;
  PlanWords plan;
  LoadWords load;
  std::string duration;
  std::string think;
  std::string spin;
  CalibrateWords calibrate;
};

template <typename Value>
CLI::Option* add(CLI::App& app, const std::string& flag, Value& value, const std::string& about,
                 const std::string& placeholder) {
  // One value a flag: otherwise a flag that may be repeated swallows the words after it.
  return app.add_option(flag, value, about)->type_name(placeholder)->allow_extra_args(false);
}

template <typename Value>
void add_count(CLI::App& app, const std::string& flag, Value& value, const std::string& about) {
  add(app, flag, value, about, "N")->check(CLI::Range(1, 1'000'000).description(""));
}

void add_config(CLI::App& command, ConfigWords& words, const char* group) {
  const auto server = [&](CLI::Option* option) { return option->group(group); };
  CLI::Option* const file = server(
      add(command, "--config", words.file, "file of an MCP client that names servers", "FILE"));
  server(add(command, "--server", words.server,
             "which of them; may be left out if it is the only one", "NAME"))
      ->needs(file);
  server(add(command, "--input", words.inputs, "value of ${input:ID} in the file (repeatable)",
             "ID=VALUE"))
      ->needs(file);
}

/// How a server is named and reached: the same for every command that starts or calls one.
void add_server(CLI::App& run, RunWords& words, Draft& draft) {
  const auto server = [](CLI::Option* option) { option->group("The server"); };
  add_config(run, words.config, "The server");
  server(add(run, "--url", words.url, "endpoint; {port} stands for a free port", "URL"));
  server(add(run, "--pid", words.pid, "root of the process tree behind --url", "PID")
             ->check(CLI::Range(1, 1 << 30).description("")));
  server(
      add(run, "--header", words.headers, "sent with every request (repeatable)", "'NAME: VALUE'"));
  server(add(run, "--credential", words.credential,
             "one for each client, as a header, as '?NAME=VALUE' in the url or, on stdio, as "
             "NAME=VALUE; {credential} is the client's number",
             "'HEADER: VALUE'"));
  server(add(run, "--bearer-env", words.bearer_env,
             "variable that holds a bearer token, which then stands on no command line", "NAME"));
  server(add(run, "--ca-file", words.ca_file, "PEM certificates to trust besides the system's",
             "FILE"));
  server(run.add_flag("--insecure", words.insecure,
                      "do not check the certificate of an https server"));
  server(
      add(run, "--proxy", words.proxy, "HTTP proxy; HTTP_PROXY and its like are ignored", "URL"));
  server(add(run, "--env", words.env, "for the server (repeatable)", "NAME=VALUE"));
  server(run.add_flag("--pipes", words.pipes, "pipes instead of socketpairs on stdio"));
  server(add(run, "--protocol", words.protocol, "revision to speak instead of the newest in common",
             "REVISION"));
  server(add(run, "--ready-timeout", draft.ready_timeout, "until the server must answer (60s)",
             "DURATION"));
}

void add_call(CLI::App& run, RunWords& words, Draft& draft) {
  const auto load = [](CLI::Option* option) { option->group("The load"); };
  load(add(run, "--tool", words.tool, "what tools/call calls; otherwise a read-only one is chosen",
           "NAME"));
  load(add(run, "--arguments", words.arguments, "for the tool", "JSON"));
  load(add(run, "--expect", words.expect, "text that a served answer contains", "TEXT"));
  load(add(run, "--call-timeout", draft.call_timeout, "after which a call counts as hung (60s)",
           "DURATION"));
}

template <typename Words>
void add_output(CLI::App& run, Words& words) {
  const auto output = [](CLI::Option* option) { option->group("The results"); };
  output(add(run, "-o,--output", words.output,
             "where record.json and report.md go (weighbridge-results/NAME-TIME)", "DIR"));
  output(run.add_flag("--no-report", words.no_report, "no report.md"));
  output(run.add_flag("--json", words.json, "the record on standard output instead of tables"));
  output(run.add_flag("-v,--verbose", words.verbose, "every note on the way"));
}

void add_run(CLI::App& app, Draft& draft) {
  CLI::App& run = *app.add_subcommand("run", "Weigh a server: every scenario, start to finish");
  RunWords& words = draft.run;
  run.footer(kRunForms);
  add(run, "plan", words.plan, "plan file", "PLAN");

  add_server(run, words, draft);
  add_call(run, words, draft);
  const auto size = [](const char* flag, auto& value, const char* about, CLI::App& owner) {
    add_count(owner, flag, value, about);
    owner.get_option(flag)->group("The size of the run");
  };
  size("--clients", words.clients, "clients, on both transports", run);
  size("--parallel", words.parallel, "requests in flight for each client", run);
  size("--rounds", words.rounds, "rounds for each method", run);
  size("--repeat", words.repeat, "repeats of every scenario, interleaved", run);
  const auto extent = [](CLI::Option* option) { option->group("The size of the run"); };
  extent(
      add(run, "--only", words.only, "only scenarios whose name matches, as in 'http-*'", "GLOB"));
  extent(
      add(run, "--sample-interval", draft.sample_interval, "between readings (100ms)", "DURATION"));
  extent(run.add_flag("--quick", words.quick,
                      "2 clients, 2 in flight, 1 round, 1 repeat: to see that it works"));

  add_output(run, words);
}

void add_load(CLI::App& app, Draft& draft) {
  CLI::App& load =
      *app.add_subcommand("load", "Drive a server at a rate, or as fast as it answers");
  LoadWords& words = draft.load;
  load.footer(kLoadForms);
  add(load, "plan", words.run.plan, "plan file", "PLAN");
  add_server(load, words.run, draft);
  add_call(load, words.run, draft);
  const auto group = [](const char* name) {
    return [name](CLI::Option* option) { return option->group(name); };
  };
  const auto called = group("The load");
  called(add(load, "--mix", words.mix,
             "what is called, with weights: tools/list=1,tools/call:NAME=3", "MIX"));
  called(load.add_flag("--alternate", words.alternate, "the mix in turn instead of by weight"));
  called(add(load, "--arguments-file", words.arguments_file,
             "arguments taken in turn, a JSON object a line", "FILE"));
  called(add(load, "--seed", words.seed, "of everything drawn (1)", "N"));
  called(add(load, "--check-every", words.check_every,
             "replies of which one is parsed whole (64; 1: every one)", "N")
             ->check(CLI::Range(1U, 1'000'000U).description("")));
  const auto pace = group("How fast, how long");
  const auto count = [&](const char* flag, auto& value, const char* about) {
    add_count(load, flag, value, about);
    pace(load.get_option(flag));
  };
  count("--credentials", words.credentials,
        "callers: an identity or, on stdio, a process each (1)");
  count("--parallel", words.run.parallel, "calls each may have in flight (4; with a rate 64)");
  pace(add(load, "--rate", words.rate, "open loop: calls a second, whatever the answers", "RATE"));
  pace(add(load, "--step", words.step, "one rate after the other, each for --duration",
           "RATE,RATE…"));
  pace(add(load, "--profile", words.profile, "stretches of rates: 100:10s, and ramps: 100-500:30s",
           "STRETCH,…"));
  pace(add(load, "--until", words.until, "find the highest rate that holds, beginning with --rate",
           "'p99>200ms'"));
  pace(load.add_flag("--poisson", words.poisson, "calls arrive at random around the rate"));
  pace(load.add_flag("--per-credential", words.per_credential, "rates are of one credential"));
  pace(add(load, "--duration", draft.duration, "of every step (10s)", "DURATION"));
  count("--requests", words.requests, "end after so many calls");
  pace(add(load, "--think", draft.think, "pause of a caller between answer and next call",
           "DURATION"));
  const auto driver = group("The driver");
  add_count(load, "--threads", words.threads, "that carry the load (1)");
  driver(load.get_option("--threads"));
  driver(add(load, "--driver-cpus", words.driver_cpus, "cores of its threads", "0-2,5"));
  driver(
      add(load, "--target-cpus", words.target_cpus, "cores of a server that is started", "0-2,5"));
  driver(add(load, "--spin", draft.spin,
             "stretch before a due call that is spun away, for punctuality (150us; 0: none)",
             "DURATION"));
  group("The size of the run")(
      add(load, "--only", words.run.only, "which scenario of a plan that has several", "GLOB"));
  add_output(load, words.run);
}

void add_calibrate(CLI::App& app, Draft& draft) {
  CLI::App& calibrate = *app.add_subcommand(
      "calibrate", "Weigh known weights: how far off the figures are on this host");
  CalibrateWords& words = draft.calibrate;
  calibrate.footer(kCalibrateExamples);
  calibrate.add_flag("--quick", words.quick, "few weighings, in under half a minute");
  add(calibrate, "--only", words.only, "only weights whose name matches, as in 'cpu-*'", "GLOB");
  add(calibrate, "--server", words.server, "reference server (the one beside weighbridge)", "PATH");
  add_output(calibrate, words);
}

void add_report(CLI::App& app, Draft& draft) {
  CLI::App& report = *app.add_subcommand("report", "Draw a record again: tables or a page");
  report.footer(kReportExamples);
  add(report, "record", draft.report.record, "record.json of a run", "RECORD")->required();
  add(report, "-o,--output", draft.report.output, "write a file there instead of printing", "DIR");
  add(report, "--format", draft.format, "terminal, markdown or json", "FORMAT")
      ->check(CLI::IsMember({"terminal", "markdown", "json"}));
}

void add_plan(CLI::App& app, Draft& draft) {
  CLI::App& plan = *app.add_subcommand("plan", "Print a plan as understood, or refuse it");
  plan.footer(kPlanExamples);
  add(plan, "plan", draft.plan.plan, "plan file", "PLAN");
  add_config(plan, draft.plan.config, "Instead of a plan");
  plan.add_flag("--check", draft.plan.check, "only say whether it is sound, and what it asks for");
}

/// The subcommand that the words have chosen, or the program itself.
const CLI::App& chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : *commands.front();
}

/// "Did you mean --rounds?" for the first stray word that resembles something known.
std::string remedy_for(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App& command = chosen(app);
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const bool at_the_top = &command == &app;
  if (at_the_top) {
    for (const CLI::App* subcommand : app.get_subcommands({}))
      known.push_back(subcommand->get_name());
  }
  const std::string help =
      at_the_top ? "weighbridge --help" : fmt::format("weighbridge {} --help", command.get_name());
  for (const std::string& argument : arguments) {
    const std::string word = split(argument, '=').front();
    if (std::ranges::find(known, word) != known.end() || (word[0] != '-' && !at_the_top)) continue;
    const std::string nearest = nearest_word(word, known);
    if (!nearest.empty()) return fmt::format("Did you mean {}? See {}", nearest, help);
  }
  return "See " + help;
}

Result<std::optional<Duration>> duration_of(const std::string& text, const std::string& flag) {
  if (text.empty()) return std::nullopt;
  auto duration = parse_duration(text);
  if (!duration) return std::unexpected(duration.error().within(flag));
  if (*duration <= Duration::zero())
    return fail(ErrorCode::usage, fmt::format("\"{}\" is no time to wait", text), flag,
                "Write for example 500ms");
  return *duration;
}

Result<Words> words_of(const CLI::App& app, Draft& draft) {
  const CLI::App& command = chosen(app);
  if (command.get_name() == "report") {
    const std::map<std::string, Format> formats = {
        {"terminal", Format::terminal}, {"markdown", Format::markdown}, {"json", Format::json}};
    if (!draft.format.empty()) draft.report.format = formats.at(draft.format);
    return draft.report;
  }
  if (command.get_name() == "plan") return draft.plan;
  if (command.get_name() == "calibrate") return draft.calibrate;
  if (command.get_name() == "load") {
    LoadWords& load = draft.load;
    WB_TRY(load.run.ready_timeout, duration_of(draft.ready_timeout, "--ready-timeout"));
    WB_TRY(load.run.call_timeout, duration_of(draft.call_timeout, "--call-timeout"));
    WB_TRY(load.duration, duration_of(draft.duration, "--duration"));
    WB_TRY(load.think, duration_of(draft.think, "--think"));
    load.no_spin = draft.spin == "0";
    if (!load.no_spin) {
      WB_TRY(load.spin, duration_of(draft.spin, "--spin"));
    }
    return load;
  }
  WB_TRY(draft.run.sample_interval, duration_of(draft.sample_interval, "--sample-interval"));
  WB_TRY(draft.run.ready_timeout, duration_of(draft.ready_timeout, "--ready-timeout"));
  WB_TRY(draft.run.call_timeout, duration_of(draft.call_timeout, "--call-timeout"));
  return draft.run;
}

}  // namespace

Result<Words> read_words(const std::vector<std::string>& arguments) {
  CLI::App app(kAbout, "weighbridge");
  app.footer(kExamples);
  app.set_version_flag("--version", version_line());
  app.require_subcommand(1);
  Draft draft;
  add_run(app, draft);
  add_load(app, draft);
  add_calibrate(app, draft);
  add_report(app, draft);
  add_plan(app, draft);

  // What follows "--" belongs to the server; CLI11 would deal it out to our own positionals.
  auto own_end = arguments.end();
  if (!arguments.empty() && (arguments.front() == "run" || arguments.front() == "load")) {
    own_end = std::ranges::find(arguments, "--");
    if (own_end != arguments.end()) {
      auto& command = (arguments.front() == "run" ? draft.run : draft.load.run).command;
      command.assign(own_end + 1, arguments.end());
      if (command.empty())
        return fail(ErrorCode::usage, "no command stands after --", {},
                    fmt::format("Write for example: weighbridge {} -- my-server --stdio",
                                arguments.front()));
    }
  }
  const std::vector<std::string> own(arguments.begin(), own_end);
  if (own.empty())
    return fail(ErrorCode::usage, "no command was given", {},
                "The commands are run, load, calibrate, report and plan. See weighbridge --help");
  try {
    app.parse(std::vector<std::string>(own.rbegin(), own.rend()));
  } catch (const CLI::CallForHelp&) {
    return Message{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return Message{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::usage, error.what(), {}, remedy_for(app, own));
  }
  return words_of(app, draft);
}

}  // namespace weighbridge::cli

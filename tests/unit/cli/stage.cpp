#include "stage.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace weighbridge::cli {

namespace fs = std::filesystem;

Folder::Folder() : before_(fs::current_path()) {
  std::string name = (fs::temp_directory_path() / "weighbridge-cli-XXXXXX").string();
  path_ = mkdtemp(name.data());
  fs::current_path(path_);
}

Folder::~Folder() {
  fs::current_path(before_);
  fs::permissions(path_, fs::perms::owner_all);
  fs::remove_all(path_);
}

void Folder::write(const std::string& name, const std::string& text) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << text;
}

std::string Folder::read(const std::string& name) const {
  std::ifstream file(path_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool Folder::has(const std::string& name) const {
  return fs::exists(path_ / name);
}

std::vector<std::string> Folder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), path_).string());
  }
  std::ranges::sort(names);
  return names;
}

record::Record measured_record() {
  record::Record run;
  run.name = "notes";
  run.generated_at = "2026-11-30T17:00:00Z";
  run.settings.rounds = 3;
  run.settings.repeat = 1;
  record::Scenario scenario;
  scenario.id = "stdio";
  scenario.transport = "stdio";
  scenario.variant = "default";
  scenario.clients = 8;
  scenario.channel = "socketpair";
  scenario.repeats.resize(1);
  scenario.repeats[0].number = 1;
  scenario.summary.one_client_mib = stats::Estimate{.value = 61.4, .interval = {}, .n = 1};
  run.scenarios = {scenario};
  return run;
}

Stage::Stage()
    : world{.out = out,
            .err = err,
            .out_screen = {},
            .err_screen = {},
            .clock = clock,
            .utc_now = [] { return std::string("2026-11-30T17:00:00Z"); },
            .program = "/opt/weighbridge",
            .run_points =
                [this](const plan::Plan& asked, const modes::PointsOptions& wanted,
                       modes::Observer& observer) {
                  ++runs;
                  plan = asked;
                  options = wanted;
                  if (meanwhile) meanwhile(observer);
                  // As the real one: the last state is saved, however the run ended.
                  if (auto saved = observer.on_step(result.record); !saved && !result.error)
                    result.error = saved.error();
                  return result;
                },
            .scenario_ids =
                [](const plan::Plan&) {
                  return std::vector<std::string>{"stdio-small", "stdio-large"};
                },
            .run_load =
                [this](const plan::Plan& asked, const modes::LoadOptions& wanted,
                       modes::Observer& observer) {
                  ++runs;
                  plan = asked;
                  load_options = wanted;
                  if (meanwhile) meanwhile(observer);
                  if (auto saved = observer.on_step(load_result.record);
                      !saved && !load_result.error)
                    load_result.error = saved.error();
                  return load_result;
                },
            .calibrate = {},
            .state_home = {}} {
  result.record = measured_record();
  load_result.record.name = "notes";
  load_result.record.steps.emplace_back().name = "closed loop";
  load_result.record.steps.back().served = load_result.record.steps.back().sent = 7;
}

ExitCode Stage::run(const std::vector<std::string>& arguments) {
  return run_program(arguments, world);
}

}  // namespace weighbridge::cli

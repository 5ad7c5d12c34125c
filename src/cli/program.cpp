#include "cli/program.h"

#include <ostream>

#include "base/words.h"
#include "cli/load_command.h"
#include "cli/plan_command.h"
#include "cli/report_command.h"
#include "cli/run_command.h"
#include "cli/words.h"
#include "report/text.h"

namespace weighbridge::cli {
namespace {

struct Dispatch {
  Surroundings& world;

  Result<void> operator()(const Message& message) const {
    world.out << message.text;
    return {};
  }
  Result<void> operator()(const RunWords& words) const { return run_command(words, world); }
  Result<void> operator()(const ReportWords& words) const { return report_command(words, world); }
  Result<void> operator()(const PlanWords& words) const { return plan_command(words, world); }
  Result<void> operator()(const LoadWords& words) const { return load_command(words, world); }
};

Result<void> obey(const std::vector<std::string>& arguments, Surroundings& world) {
  WB_TRY(const Words words, read_words(arguments));
  WB_CHECK(std::visit(Dispatch{world}, words));
  world.out.flush();
  if (!world.out)
    return fail(ErrorCode::system, "standard output could not be written", {},
                "Is the disk full, or the reader gone?");
  return {};
}

/// Errors may quote a server's last words: its lines stay lines, its control characters go.
std::string shown(const Error& error) {
  std::string text;
  for (const std::string& line : split(describe(error), '\n')) {
    if (!text.empty()) text += "\n";
    text += report::printable(line, 2000);
  }
  return text;
}

}  // namespace

ExitCode run_program(const std::vector<std::string>& arguments, Surroundings& world) {
  const auto done = obey(arguments, world);
  if (done) return ExitCode::done;
  world.err << "weighbridge: " << shown(done.error()) << std::endl;
  return exit_code_for(done.error().code);
}

int program_main(int argc, char** argv) {
  Surroundings world = real_surroundings();
  return static_cast<int>(run_program({argv + (argc > 0 ? 1 : 0), argv + argc}, world));
}

}  // namespace weighbridge::cli

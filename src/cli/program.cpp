#include "cli/program.h"

#include <ostream>

#include "base/words.h"
#include "cli/calibrate_command.h"
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

  Result<ExitCode> operator()(const Message& message) const {
    world.out << message.text;
    return ExitCode::done;
  }
  Result<ExitCode> operator()(const RunWords& words) const {
    return done(run_command(words, world));
  }
  Result<ExitCode> operator()(const ReportWords& words) const {
    return done(report_command(words, world));
  }
  Result<ExitCode> operator()(const PlanWords& words) const {
    return done(plan_command(words, world));
  }
  Result<ExitCode> operator()(const LoadWords& words) const {
    return done(load_command(words, world));
  }
  Result<ExitCode> operator()(const CalibrateWords& words) const {
    return calibrate_command(words, world);
  }

 private:
  /// Of commands that judge nothing.
  static Result<ExitCode> done(Result<void> result) {
    if (!result) return std::unexpected(std::move(result).error());
    return ExitCode::done;
  }
};

Result<ExitCode> obey(const std::vector<std::string>& arguments, Surroundings& world) {
  WB_TRY(const Words words, read_words(arguments));
  WB_TRY(const ExitCode code, std::visit(Dispatch{world}, words));
  world.out.flush();
  if (!world.out)
    return fail(ErrorCode::system, "standard output could not be written", {},
                "Is the disk full, or the reader gone?");
  return code;
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
  if (done) return *done;
  world.err << "weighbridge: " << shown(done.error()) << std::endl;
  return exit_code_for(done.error().code);
}

int program_main(int argc, char** argv) {
  Surroundings world = real_surroundings();
  return static_cast<int>(run_program({argv + (argc > 0 ? 1 : 0), argv + argc}, world));
}

}  // namespace weighbridge::cli

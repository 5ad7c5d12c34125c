#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/program.h"

namespace weighbridge::cli {

/// A folder of its own, made the working directory while the object lives, and removed with it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  /// Relative paths of all files below, sorted.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  std::filesystem::path path_;
  std::filesystem::path before_;
};

/// A record with something in it.
record::Record measured_record();

/// The world as a command sees it, with a run that measures nothing and can be told how to end.
class Stage {
 public:
  Stage();

  ExitCode run(const std::vector<std::string>& arguments);

  Folder folder;
  std::ostringstream out;
  std::ostringstream err;
  ManualClock clock;
  Surroundings world;

  // What the run was given, and what it does.
  int runs = 0;
  plan::Plan plan;
  modes::PointsOptions options;
  modes::RunResult result;
  modes::LoadOptions load_options;
  modes::LoadRunResult load_result;
  /// Called in the middle of the run.
  std::function<void(modes::Observer&)> meanwhile;
};

}  // namespace weighbridge::cli

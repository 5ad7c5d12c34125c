#include "cli/report_command.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include "os/file.h"
#include "record/json.h"
#include "report/calibration_view.h"
#include "report/load_view.h"
#include "report/markdown.h"
#include "report/terminal.h"

namespace weighbridge::cli {
namespace {

namespace fs = std::filesystem;

/// What cannot be read was wrongly named: the words are at fault, not a measurement.
Result<record::AnyRecord> read_record(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code none;
  if (!file || fs::is_directory(path, none))
    return fail(ErrorCode::usage, fmt::format("cannot read the record {}", path), {},
                "Name the record.json of a run");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto record = record::any_from_json(text, path);
  if (!record) record.error().code = ErrorCode::usage;
  return record;
}

template <typename Record>
std::string drawn_as(const Record& record, Format format, const Screen& screen) {
  switch (format) {
    case Format::terminal:
      return report::to_terminal(report::view_of(record),
                                 {.width = screen.width, .colour = screen.colour});
    case Format::markdown:
      return report::to_markdown(report::view_of(record));
    case Format::json:
      break;
  }
  return record::to_json(record);
}

std::string drawn(const record::AnyRecord& record, Format format, const Screen& screen) {
  return std::visit([&](const auto& each) { return drawn_as(each, format, screen); }, record);
}

std::string file_name(Format format) {
  switch (format) {
    case Format::terminal:
      return "report.txt";
    case Format::markdown:
      return "report.md";
    case Format::json:
      break;
  }
  return "record.json";
}

}  // namespace

Result<void> report_command(const ReportWords& words, Surroundings& world) {
  WB_TRY(const record::AnyRecord record, read_record(words.record));
  if (words.output.empty()) {
    world.out << drawn(record, words.format.value_or(Format::terminal), world.out_screen);
    return {};
  }
  std::error_code trouble;
  fs::create_directories(words.output, trouble);
  if (trouble)
    return fail(ErrorCode::usage,
                fmt::format("cannot make the folder {}: {}", words.output, trouble.message()), "-o",
                "Name a folder that may be written");
  const Format format = words.format.value_or(Format::markdown);
  const std::string path = (fs::path(words.output) / file_name(format)).string();
  WB_CHECK(os::save_atomically(path, drawn(record, format, Screen{})));
  world.out << path << "\n";
  return {};
}

}  // namespace weighbridge::cli

#include "cli/publishing.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/plan_from_words.h"
#include "os/file.h"
#include "plan/placeholders.h"
#include "record/json.h"
#include "report/markdown.h"

namespace weighbridge::cli {
namespace {

namespace fs = std::filesystem;

Result<Publication> named_in(const plan::Plan& plan) {
  const plan::Placeholders values = {{"plan_dir", plan.directory}};
  Publication publication;
  if (!plan.publish->record.empty()) {
    WB_TRY(publication.record, plan::fill(plan.publish->record, values));
  }
  WB_TRY(publication.pages, plan::fill(plan.publish->pages, values));
  return publication;
}

std::vector<std::string> paths_of(const Publication& publication) {
  std::vector<std::string> paths = publication.pages;
  if (!publication.record.empty()) paths.push_back(publication.record);
  return paths;
}

bool same_file(const fs::path& left, const fs::path& right) {
  std::error_code none;
  return fs::weakly_canonical(left, none) == fs::weakly_canonical(right, none);
}

Result<void> stay_away(const Publication& publication, const RunWords& words,
                       const std::string& flags) {
  for (const std::string& path : paths_of(publication)) {
    for (const char* name : {"record.json", "report.md"}) {
      if (same_file(fs::path(words.output) / name, path))
        return fail(ErrorCode::usage,
                    fmt::format("-o {} would overwrite {}, which the plan publishes, with the "
                                "figures of another run ({})",
                                words.output, path, flags),
                    {}, "Name another folder with -o DIR");
    }
  }
  return {};
}

Result<void> make_folders(const Publication& publication) {
  for (const std::string& path : paths_of(publication)) {
    const fs::path folder = fs::path(path).parent_path();
    if (folder.empty()) continue;
    std::error_code trouble;
    fs::create_directories(folder, trouble);
    if (trouble)
      return fail(ErrorCode::usage, fmt::format("cannot publish {}: {}", path, trouble.message()),
                  "[publish]");
  }
  return {};
}

}  // namespace

Result<std::optional<Publication>> publication_of(const plan::Plan& plan, const RunWords& words) {
  if (!plan.publish) return std::nullopt;
  WB_TRY(Publication publication, named_in(plan));
  const std::vector<std::string> differing = flags_that_differ(words);
  if (differing.empty()) {
    WB_CHECK(make_folders(publication));
    return publication;
  }
  const std::string flags = fmt::format("{}", fmt::join(differing, ", "));
  if (words.output.empty())
    return fail(
        ErrorCode::usage,
        fmt::format("with {} this is not the run whose figures {} publishes", flags, words.plan),
        {}, "Give -o DIR to keep its results elsewhere, or leave out the flag");
  WB_CHECK(stay_away(publication, words, flags));
  return std::nullopt;
}

Result<void> publish(const Publication& publication, const record::Record& record,
                     bool with_pages) {
  if (!publication.record.empty()) {
    WB_CHECK(os::save_atomically(publication.record, record::to_json(record)));
  }
  if (!with_pages || publication.pages.empty()) return {};
  const std::string page = report::to_markdown(report::view_of(record));
  for (const std::string& path : publication.pages) {
    WB_CHECK(os::save_atomically(path, page));
  }
  return {};
}

}  // namespace weighbridge::cli

#include "plan/read.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>

#include "plan/detail/rules.h"
#include "plan/detail/sections.h"
#include "plan/detail/text_file.h"

namespace weighbridge::plan {
namespace {

std::string place(const std::string& path, const toml::source_position& at) {
  return fmt::format("{}:{}:{}", path.empty() ? "plan" : path, at.line, at.column);
}

/// Where the file says what the key says; if it says nothing, where the table that should stands.
toml::source_position position_of(const toml::table& document, std::string key) {
  while (!key.empty()) {
    if (const auto found = toml::at_path(document, key)) return found.node()->source().begin;
    const std::size_t cut = key.find_last_of(".[");
    key.resize(cut == std::string::npos ? 0 : cut);
  }
  return {1, 1};
}

/// A plan without a name is called like its file, with a dash for whatever a name may not hold.
std::string name_from(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string().substr(0, 64);
  std::ranges::replace_if(
      name, [](unsigned char c) { return c >= 0x80 || (std::isalnum(c) == 0 && c != '_'); }, '-');
  return name.empty() ? "plan" : name;
}

std::string directory_of(const std::string& path) {
  if (path.empty()) return {};
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).lexically_normal().parent_path().string();
}

Result<toml::table> parse_document(std::string_view text, const std::string& path) {
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::plan, fmt::format("not valid TOML: {}", error.description()),
                place(path, error.source().begin));
  }
}

}  // namespace

Result<Plan> read_plan(const std::string& path) {
  WB_TRY(const std::string text,
         detail::read_text(path, "the plan", "Name a plan file, as in plans/reference.toml"));
  return parse_plan(text, path);
}

Result<Plan> parse_plan(std::string_view text, const std::string& path) {
  WB_TRY(const toml::table document, parse_document(text, path));
  Plan plan;
  plan.name = name_from(path);
  plan.path = path;
  plan.directory = directory_of(path);
  detail::Problems problems;
  detail::read_sections(document, plan, problems);
  if (!problems.empty()) {
    const auto& first = *std::ranges::min_element(problems, {}, &detail::Problem::at);
    return fail(ErrorCode::plan, first.what, place(path, first.at), first.remedy);
  }
  if (plan.variants.empty()) plan.variants.emplace_back().name = "default";
  if (const auto no = detail::first_objection(plan))
    return fail(ErrorCode::plan, no->what, place(path, position_of(document, no->key)), no->remedy);
  return plan;
}

Result<void> validate(const Plan& plan) {
  if (const auto no = detail::first_objection(plan))
    return fail(ErrorCode::plan, no->what, no->key, no->remedy);
  return {};
}

}  // namespace weighbridge::plan

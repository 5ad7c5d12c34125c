#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "plan/read.h"

namespace weighbridge::plan {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(WEIGHBRIDGE_SOURCE_DIR) / "tests/fixtures/plans/refused";

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> refused_plans() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFixtures)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

/// NAME.toml is refused in exactly the words of NAME.txt.
class RefusedPlan : public testing::TestWithParam<std::string> {};

TEST_P(RefusedPlan, IsRefusedInTheApprovedWords) {
  const fs::path file = kFixtures / (GetParam() + ".toml");
  const auto plan = parse_plan(text_of(file), file.filename().string());
  ASSERT_FALSE(plan) << "the plan was accepted";
  EXPECT_EQ(plan.error().code, ErrorCode::plan);
  EXPECT_EQ(describe(plan.error()) + "\n", text_of(kFixtures / (GetParam() + ".txt")));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, RefusedPlan, testing::ValuesIn(refused_plans()),
                         [](const auto& named) { return named.param; });

}  // namespace
}  // namespace weighbridge::plan

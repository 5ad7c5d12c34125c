// Prints a plan as understood, or refuses it, for schema_test.py.
#include <cstdio>

#include "plan/read.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto plan = weighbridge::plan::read_plan(argv[1]);
  std::fputs(plan ? weighbridge::plan::to_toml(*plan, /*redacted=*/false).c_str()
                  : weighbridge::describe(plan.error()).c_str(),
             stdout);
  return plan ? 0 : 1;
}

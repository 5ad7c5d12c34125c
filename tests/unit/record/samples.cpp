// Writes records into a directory, for schema_test.py.
#include <fmt/format.h>

#include <fstream>

#include "random_record.h"
#include "record/json.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  using namespace weighbridge::record;
  const std::string directory = argv[1];
  std::ofstream(directory + "/empty.json") << to_json(Record{});
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    std::ofstream(fmt::format("{}/{}.json", directory, seed)) << to_json(random_record(seed));
  // In the order of their names the first kind comes first.
  std::ofstream(directory + "/calibration-empty.json") << to_json(Calibration{});
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    std::ofstream(fmt::format("{}/calibration-{}.json", directory, seed))
        << to_json(random_calibration(seed));
  std::ofstream(directory + "/load-empty.json") << to_json(LoadRecord{});
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    std::ofstream(fmt::format("{}/load-{}.json", directory, seed))
        << to_json(random_load_record(seed));
  return 0;
}

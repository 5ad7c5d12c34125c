#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "plan/plan.h"

namespace weighbridge::plan::detail {

/// Something wrong at one place of a plan file.
struct Problem {
  toml::source_position at;
  std::string what;
  std::string remedy;
};
using Problems = std::vector<Problem>;

/// Reads one table of a plan. Every method takes a key out of the table if it is there, leaves the
/// destination alone (with its default) if it is not, and notes a Problem if it has another type.
/// The destructor notes the keys that nobody asked for; so a key is known by being read, and no
/// second list of names can fall behind.
class Fields {
 public:
  /// `name` as the reader finds the table in the file: "run", "[variant]"; empty for the whole
  /// file.
  Fields(const toml::table& table, std::string name, Problems& problems);
  ~Fields();
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  void text(std::string_view key, std::string& out);
  void texts(std::string_view key, std::vector<std::string>& out);
  void environment(std::string_view key, Environment& out);
  /// The same in the order of the file, which a map would lose.
  void pairs(std::string_view key, std::vector<std::pair<std::string, std::string>>& out);
  void boolean(std::string_view key, std::optional<bool>& out);
  /// Numbers beyond an int become its ends; every int of a plan has a range that refuses those.
  void integer(std::string_view key, int& out);
  void integer(std::string_view key, std::optional<int>& out);
  void integer(std::string_view key, std::optional<std::int64_t>& out);
  void duration(std::string_view key, Duration& out);
  /// A number of bytes, or "12KiB".
  void size(std::string_view key, std::optional<std::uint64_t>& out);
  /// One of a few words.
  void choice(std::string_view key, const std::vector<std::string>& words, std::string& out);

  const toml::table* table(std::string_view key);
  /// An array of tables, `[[key]]` or inline.
  std::vector<const toml::table*> tables(std::string_view key);
  /// Whatever stands there; nullptr if nothing does.
  const toml::node* any(std::string_view key);

  void refuse(const toml::node& at, std::string what, std::string remedy);
  /// Refuses a key in words of its own and never offers it as what was meant.
  void refuse_key(std::string_view key, std::string what, std::string remedy);

 private:
  void wrong_type(std::string_view key, const toml::node& node, std::string_view wanted,
                  std::string_view example);
  [[nodiscard]] std::string shown(std::string_view key) const;

  const toml::table& table_;
  std::string name_;
  Problems& problems_;
  std::vector<std::string> known_;
  std::vector<std::string> refused_;
};

}  // namespace weighbridge::plan::detail

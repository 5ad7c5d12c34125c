#include "random_record.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <type_traits>

#include "base/random.h"
#include "record/detail/members.h"

namespace weighbridge::record {
namespace {

class Filler {
 public:
  explicit Filler(std::uint64_t seed) : random_(seed) {}

  template <typename Value>
  void operator()(std::string_view, Value& value) {
    fill(value);
  }

 private:
  bool chance() { return random_.below(2) == 0; }

  void fill(bool& value) { value = chance(); }
  void fill(int& value) { value = static_cast<int>(random_.below(100'000)); }
  void fill(std::uint64_t& value) {
    value = chance() ? random_.below(1000) : random_.next();  // up to 2^64 - 1
  }
  void fill(double& value) {
    switch (random_.below(8)) {
      case 0:
        value = 0;
        break;
      case 1:
        value = 1e18 * random_.uniform();
        break;
      case 2:
        value = std::numeric_limits<double>::quiet_NaN();
        break;
      default:  // what six decimals can say, below zero too
        value = (static_cast<double>(random_.below(2'000'000'000)) - 1e9) / 1e6;
    }
  }
  void fill(std::string& value) {
    static constexpr std::array<std::string_view, 7> kTexts{
        "",          "http-dynamic", "line\nbreak\t\"quoted\" \\", "é 日本 \U0001F69A", "\x01\x7f",
        "</script>", "***"};
    value = kTexts[random_.below(kTexts.size())];
  }
  void fill(WeightVerdict& value) { value = static_cast<WeightVerdict>(random_.below(3)); }
  void fill(Status& value) { value = static_cast<Status>(random_.below(3)); }
  void fill(DoubtKind& value) { value = static_cast<DoubtKind>(random_.below(17)); }

  template <typename Value>
  void fill(std::optional<Value>& value) {
    value.reset();
    if (chance()) fill(value.emplace());
    // An absent number and one that could not be computed are the same null.
    if constexpr (std::is_same_v<Value, double>) {
      if (value && *value != *value) value.reset();
    }
  }
  template <typename Element>
  void fill(std::vector<Element>& elements) {
    elements.resize(random_.below(4));
    for (Element& element : elements) fill(element);
  }
  template <typename Value>
  void fill(std::map<std::string, Value>& entries) {
    for (std::uint64_t i = random_.below(4); i > 0; --i) {
      std::string name;
      fill(name);
      fill(entries[name]);
    }
  }
  template <typename Struct>
    requires std::is_class_v<Struct>
  void fill(Struct& it) {
    detail::members(*this, it);
    if constexpr (std::is_same_v<Struct, Scenario> || std::is_same_v<Struct, Server>)
      it.transport = chance() ? "stdio" : "http";
    if constexpr (std::is_same_v<Struct, Trace>) even_out(it);
  }
  static void even_out(Trace& trace) {
    const std::size_t length = trace.at_ms.size();
    trace.resident_mib.resize(length);
    trace.cpu_seconds.resize(length);
    trace.threads.resize(length);
    trace.processes.resize(length);
  }

  Random random_;
};

class Flattener {
 public:
  template <typename Value>
  void operator()(std::string_view name, const Value& value) {
    const std::size_t outer = path_.size();
    path_ += fmt::format("/{}", name);
    flatten(value);
    path_.resize(outer);
  }
  std::vector<std::string> lines;

 private:
  template <typename Value>
  void leaf(const Value& value) {
    lines.push_back(fmt::format("{} = {}", path_, value));
  }
  void flatten(bool value) { leaf(value); }
  void flatten(int value) { leaf(value); }
  void flatten(std::uint64_t value) { leaf(value); }
  void flatten(double value) {
    if (value != value)
      leaf("not a number");
    else
      lines.push_back(fmt::format("{} = {:.17g}", path_, value));
  }
  void flatten(const std::string& value) { leaf(value); }
  void flatten(Status value) { leaf(static_cast<int>(value)); }
  void flatten(DoubtKind value) { leaf(static_cast<int>(value)); }
  void flatten(WeightVerdict value) { leaf(static_cast<int>(value)); }
  template <typename Value>
  void flatten(const std::optional<Value>& value) {
    if (value)
      flatten(*value);
    else
      leaf("absent");
  }
  template <typename Element>
  void flatten(const std::vector<Element>& elements) {
    (*this)("length", std::uint64_t{elements.size()});
    for (std::size_t i = 0; i < elements.size(); ++i) (*this)(std::to_string(i), elements[i]);
  }
  template <typename Value>
  void flatten(const std::map<std::string, Value>& entries) {
    (*this)("length", std::uint64_t{entries.size()});
    for (const auto& [name, value] : entries) (*this)("'" + name + "'", value);
  }
  template <typename Struct>
    requires std::is_class_v<Struct>
  void flatten(const Struct& it) {
    detail::members(*this, it);
  }

  std::string path_;
};

}  // namespace

Record random_record(std::uint64_t seed) {
  Filler filler(seed);
  Record record;
  detail::members(filler, record);
  record.schema = 1;
  record.mode = "run";
  return record;
}

Calibration random_calibration(std::uint64_t seed) {
  Filler filler(seed);
  Calibration calibration;
  detail::members(filler, calibration);
  calibration.schema = 1;
  calibration.mode = "calibrate";
  for (KnownWeight& weight : calibration.weights) {
    weight.kind = "memory";
    weight.truth_from = "stats";
  }
  return calibration;
}

std::vector<std::string> flattened(const Calibration& calibration) {
  Flattener flattener;
  detail::members(flattener, calibration);
  return std::move(flattener.lines);
}

LoadRecord random_load_record(std::uint64_t seed) {
  Filler filler(seed);
  LoadRecord record;
  detail::members(filler, record);
  record.schema = 1;
  record.mode = "load";
  return record;
}

std::vector<std::string> flattened(const LoadRecord& record) {
  Flattener flattener;
  detail::members(flattener, record);
  return std::move(flattener.lines);
}

std::vector<std::string> flattened(const Record& record) {
  Flattener flattener;
  detail::members(flattener, record);
  return std::move(flattener.lines);
}

}  // namespace weighbridge::record

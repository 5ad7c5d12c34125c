#include "reference/delay.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "base/units.h"
#include "base/words.h"

namespace weighbridge::reference {
namespace {

std::unexpected<Error> refuse(std::string_view text, std::string_view why) {
  return fail(ErrorCode::usage, fmt::format("\"{}\" is no delay: {}", text, why), {},
              "Give 10ms, uniform:5ms-15ms, exponential:20ms, bimodal:5ms,50ms,0.1, list:1ms,2ms "
              "or @FILE");
}

Result<std::vector<Duration>> parse_all(const std::vector<std::string>& texts) {
  std::vector<Duration> values;
  for (const auto& text : texts) {
    const auto word = trim(text);
    if (word.empty()) continue;
    WB_TRY(const Duration value, parse_duration(word));
    values.push_back(value);
  }
  return values;
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail(ErrorCode::usage, fmt::format("cannot read the delays in {}", path));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

Result<DelaySource> DelaySource::parse(std::string_view text, std::uint64_t seed) {
  DelaySource source(seed);
  if (text.starts_with('@')) {
    WB_TRY(const auto lines, read_file(std::string(text.substr(1))));
    auto values = parse_all(split(lines, '\n'));
    if (!values) return refuse(text, values.error().what);
    source.values_ = std::move(*values);
  } else {
    const auto colon = text.find(':');
    const bool named = colon != std::string_view::npos;
    WB_CHECK(
        source.read(named ? text.substr(0, colon) : "list", named ? text.substr(colon + 1) : text));
  }
  if (source.values_.empty()) return refuse(text, "it names none");
  return source;
}

Result<void> DelaySource::read(std::string_view kind, std::string_view arguments) {
  auto words = split(arguments, kind == "uniform" ? '-' : ',');
  const auto whole = fmt::format("{}:{}", kind, arguments);
  if (kind == "bimodal") {
    if (words.size() != 3) return refuse(whole, "bimodal wants two delays and a share");
    char* end = nullptr;
    share_ = std::strtod(words[2].c_str(), &end);
    if (end == words[2].c_str() || *end != '\0' || !(share_ >= 0 && share_ <= 1))
      return refuse(whole, "the share is between 0 and 1");
    words.pop_back();
  }
  auto values = parse_all(words);
  if (!values) return refuse(whole, values.error().what);
  values_ = std::move(*values);
  if (kind == "list") return {};
  if (kind == "uniform" && (values_.size() != 2 || values_[0] > values_[1]))
    return refuse(whole, "uniform wants the least and the greatest, as 5ms-15ms");
  if (kind == "exponential" && (values_.size() != 1 || values_[0] <= Duration(0)))
    return refuse(whole, "exponential wants one mean above zero");
  if (kind == "bimodal" && values_.size() != 2)
    return refuse(whole, "bimodal wants two delays and a share");
  if (kind == "uniform")
    kind_ = Kind::uniform;
  else if (kind == "exponential")
    kind_ = Kind::exponential;
  else if (kind == "bimodal")
    kind_ = Kind::bimodal;
  else
    return refuse(whole, "there is no such distribution");
  return {};
}

Duration DelaySource::next() {
  switch (kind_) {
    case Kind::uniform: {
      const auto width = static_cast<double>((values_[1] - values_[0]).count());
      return values_[0] + Duration(static_cast<long long>(random_.uniform() * width));
    }
    case Kind::exponential: {
      const auto mean = static_cast<double>(values_[0].count());
      return Duration(static_cast<long long>(random_.exponential(mean)));
    }
    case Kind::bimodal:
      return values_[random_.uniform() < share_ ? 1 : 0];
    case Kind::listed:
      break;
  }
  const auto value = values_[turn_];
  turn_ = (turn_ + 1) % values_.size();
  return value;
}

}  // namespace weighbridge::reference

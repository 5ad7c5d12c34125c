#include "reference/weight_plan.h"

#include <fmt/format.h>

#include "base/units.h"

namespace weighbridge::reference {
namespace {

using simdjson::dom::element;

// What one call may ask for: a mistyped unit must not take the machine.
constexpr Duration kMostCpu = 60s;
constexpr Duration kMostDelay = 1h;
constexpr std::uint64_t kMostBytes = 1ULL << 30U;
constexpr unsigned kMostThings = 1000;

std::unexpected<Error> wrong(std::string what) {
  return fail(ErrorCode::usage, std::move(what));
}

Result<std::string_view> text_of(std::string_view key, const element& value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return text;
  return wrong(fmt::format("{} must be a text with a unit, as 5ms or 4KiB", key));
}

Result<Duration> read_time(std::string_view key, const element& value, Duration most) {
  WB_TRY(const auto text, text_of(key, value));
  WB_TRY(const auto time, parse_duration(text));
  if (time > most) return wrong(fmt::format("{} must be at most {}", key, format_duration(most)));
  return time;
}

Result<TimedMemory> read_memory(std::string_view key, const element& value) {
  WB_TRY(const auto text, text_of(key, value));
  WB_TRY(const auto memory, TimedMemory::parse(text));
  if (memory.bytes > kMostBytes)
    return wrong(fmt::format("{} must be at most {}", key, format_size_binary(kMostBytes)));
  return memory;
}

Result<unsigned> read_things(std::string_view key, const element& value) {
  std::uint64_t count = 0;
  if (value.get(count) != simdjson::SUCCESS || count > kMostThings)
    return wrong(fmt::format("{} must be a whole number from 0 to {}", key, kMostThings));
  return static_cast<unsigned>(count);
}

Result<void> read_one(std::string_view key, const element& value, CallWeights& weights) {
  if (key == "cpu") {
    WB_TRY(weights.cpu, read_time(key, value, kMostCpu));
  } else if (key == "delay") {
    WB_TRY(weights.delay, read_time(key, value, kMostDelay));
  } else if (key == "leak") {
    WB_TRY(weights.leak, read_memory(key, value));
  } else if (key == "peak") {
    WB_TRY(weights.peak, read_memory(key, value));
  } else if (key == "bytes") {
    WB_TRY(const auto memory, read_memory(key, value));
    weights.answer_bytes = memory.bytes;
  } else if (key == "fds") {
    WB_TRY(weights.things.descriptors, read_things(key, value));
  } else if (key == "threads") {
    WB_TRY(weights.things.threads, read_things(key, value));
  } else if (key == "children") {
    WB_TRY(weights.things.children, read_things(key, value));
  } else {
    return wrong(fmt::format(
        "there is no parameter {}; it takes bytes, children, cpu, delay, fds, leak, peak, threads",
        key));
  }
  return {};
}

}  // namespace

Result<TimedMemory> TimedMemory::parse(std::string_view text) {
  const auto slash = text.find('/');
  TimedMemory memory;
  WB_TRY(memory.bytes, parse_size(text.substr(0, slash)));
  if (slash != std::string_view::npos) {
    WB_TRY(memory.time, parse_duration(text.substr(slash + 1)));
  }
  return memory;
}

Result<CallWeights> CallWeights::read(const simdjson::dom::object& arguments,
                                      const CallWeights& usual) {
  CallWeights weights = usual;
  for (const auto [key, value] : arguments)
    if (!value.is_null()) WB_CHECK(read_one(key, value, weights));
  return weights;
}

}  // namespace weighbridge::reference

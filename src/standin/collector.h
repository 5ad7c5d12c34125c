#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/error.h"

namespace weighbridge::standin {

/// What came in for one telemetry signal, since the start or the last reset.
struct SignalCounts {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;   ///< of bodies as sent: compressed, if they came so
  std::uint64_t items = 0;   ///< spans, data points or log records
  std::uint64_t unread = 0;  ///< requests whose items could not be counted: compressed, or foreign
};

/// Where the target sends its telemetry: an OTLP/HTTP collector that accepts everything, counts it
/// and forgets it, on loopback and on its own thread. All methods may be called from any one other
/// thread.
class Collector {
 public:
  static Result<std::unique_ptr<Collector>> start();
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// "http://127.0.0.1:PORT": what OTEL_EXPORTER_OTLP_ENDPOINT wants.
  [[nodiscard]] std::string url() const;
  /// By signal: "traces", "metrics", "logs", and "other" for a path that names none of them. Only
  /// those that came.
  [[nodiscard]] std::map<std::string, SignalCounts> counts() const;
  void reset_counters();
  /// Processor time of the stand-in's thread so far.
  [[nodiscard]] Duration cpu() const;

 private:
  class State;
  explicit Collector(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace weighbridge::standin

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "client/session.h"
#include "load/engine.h"
#include "load/phase_outcome.h"
#include "load/spec.h"
#include "modes/lab.h"
#include "sampling/sampler.h"
#include "target/deployment.h"

namespace weighbridge::modes {

/// The plan that starts reference servers: over HTTP, each telling its own truth.
plan::Plan specimen_plan(const std::string& server);

/// What a reference server says of itself (--stats), and when it was asked.
class Truth {
 public:
  Truth(std::string json, Instant asked);
  ~Truth();
  Truth(Truth&&) noexcept;
  Truth& operator=(Truth&&) noexcept;

  /// The number at a JSON pointer (RFC 6901), "/weights/cpu/count". ErrorCode::malformed when there
  /// is none: the server is of another version.
  [[nodiscard]] Result<double> number(const std::string& pointer) const;
  /// The numbers of the array there.
  [[nodiscard]] Result<std::vector<double>> numbers(const std::string& pointer) const;
  /// The instant, on our clock, from which the server counts `after_start`. Known to 0.5 ms: the
  /// server tells its age in whole milliseconds.
  [[nodiscard]] Result<Instant> server_start() const;
  /// Spans that it stood still, on our clock.
  struct Span {
    Instant begin;
    Instant end;
  };
  [[nodiscard]] Result<std::vector<Span>> freezes() const;

 private:
  std::unique_ptr<nlohmann::json> json_;
  Instant asked_;
};

/// One reference server on the scale: started with some weights, watched by a sampler, called
/// through the same sessions and the same engine as any target, ended with the object.
class Specimen {
 public:
  static Result<std::unique_ptr<Specimen>> start(Lab& lab, const std::vector<std::string>& weights);
  ~Specimen();
  Specimen(const Specimen&) = delete;
  Specimen& operator=(const Specimen&) = delete;

  /// From just before the spawn to the first good answer.
  [[nodiscard]] Duration ready() const { return ready_; }
  [[nodiscard]] sampling::Sampler& sampler() { return *sampler_; }
  [[nodiscard]] Lab& lab() { return lab_; }

  /// A caller of its own identity. Numbers go up from 0.
  Result<client::Session*> attach();
  /// One call of the tool `null` with these arguments (text of a JSON object), which must be
  /// served.
  Result<void> call(client::Session& session, const std::string& arguments);

  /// `credentials` callers with `parallel` slots each; the same connections until it is asked
  /// again. Every call of the phase must be served.
  Result<void> open_engine(int credentials, int parallel);
  Result<load::PhaseOutcome> load(load::Spec spec);

  Result<Truth> truth();

 private:
  explicit Specimen(Lab& lab) : lab_(lab) {}
  Result<void> begin(const std::vector<std::string>& weights);

  Lab& lab_;
  plan::Variant variant_;
  Duration ready_{};
  int attached_ = 0;
  // Torn down in reverse.
  std::unique_ptr<os::Supervisor> supervisor_;
  std::unique_ptr<sampling::Sampler> sampler_;
  std::unique_ptr<target::Deployment> deployment_;
  std::vector<std::unique_ptr<client::Session>> sessions_;
  std::unique_ptr<load::Engine> engine_;
};

/// tools/call of `null` with these arguments: what every phase of a calibration calls.
load::Operation null_call(const std::string& arguments);

}  // namespace weighbridge::modes

#pragma once

#include "record/accuracy.h"
#include "record/calibration.h"
#include "record/detail/like.h"

namespace weighbridge::record::detail {

// The record of `weighbridge calibrate`, and what other records keep of it. See members.h.

template <typename Visitor>
void members(Visitor& visit, Like<Accuracy> auto& it) {
  visit("calibrated_at", it.calibrated_at);
  visit("quick", it.quick);
  visit("memory_percent", it.memory_percent);
  visit("cpu_percent", it.cpu_percent);
  visit("p99_us", it.p99_us);
  visit("weights", it.weights);
  visit("weights_within", it.weights_within);
}

template <typename Visitor>
void members(Visitor& visit, Like<Weighing> auto& it) {
  visit("truth", it.truth);
  visit("null_measured", it.null_measured);
  visit("measured", it.measured);
  visit("quiet", it.quiet);
  visit("lost_share", it.lost_share);
  visit("worst_gap_ms", it.worst_gap_ms);
}

template <typename Visitor>
void members(Visitor& visit, Like<KnownWeight> auto& it) {
  visit("id", it.id);
  visit("what", it.what);
  visit("kind", it.kind);
  visit("unit", it.unit);
  visit("truth_from", it.truth_from);
  visit("told", it.told);
  visit("truth", it.truth);
  visit("null_measured", it.null_measured);
  visit("measured", it.measured);
  visit("error", it.error);
  visit("error_percent", it.error_percent);
  visit("bound", it.bound);
  visit("bound_percent", it.bound_percent);
  visit("verdict", it.verdict);
  visit("counted", it.counted);
  visit("not_quiet", it.not_quiet);
  visit("weighings", it.weighings);
}

template <typename Visitor>
void members(Visitor& visit, Like<Calibration> auto& it) {
  visit("schema", it.schema);
  visit("mode", it.mode);
  visit("generated_at", it.generated_at);
  visit("status", it.status);
  visit("broke_off_because", it.broke_off_because);
  visit("build", it.build);
  visit("host", it.host);
  visit("quick", it.quick);
  visit("only", it.only);
  visit("server", it.server);
  visit("least_quiet", it.least_quiet);
  visit("weights", it.weights);
  visit("accuracy", it.accuracy);
  visit("doubts", it.doubts);
}

}  // namespace weighbridge::record::detail

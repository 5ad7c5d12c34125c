#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/record.h"

namespace weighbridge::report {

/// How a kind of doubt reads to somebody who has never met it.
struct DoubtWording {
  std::string_view title;  ///< "The driver was the bottleneck"
  std::string_view lost;   ///< which figures suffer, and how
};
DoubtWording wording_of(record::DoubtKind kind);

/// "http, dynamic, telemetry"; a plan's only variant, named "default", goes without saying.
std::string scenario_label(const record::Scenario& scenario);
/// "stdio", "HTTP" for sentences.
std::string transport_word(std::string_view transport);
/// "3 rounds", "1 round".
std::string counted(std::uint64_t count, std::string_view noun);
/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& words);

/// "server-everything 2.0.0", all different ones of the run; the run's own name when no server
/// was ever met.
std::string subject_of(const record::Record& record);
/// "server-everything 2.0.0, speaking 2025-11-25, over stdio and HTTP."
std::string weighed_sentence(const record::Record& record);
/// "AMD EPYC, 2 logical CPUs, 23.5 GiB of memory, …".
std::string machine_words(const record::Host& host);
/// "Weighbridge 0.1.0 (a8963e7, …)".
std::string build_words(const record::Build& build);
/// Why a run is not whole; empty for one that is.
std::string early_end_words(record::Status status, std::string_view reason);
/// "Measured on <machine> with <build>, <date>: <rounds, repeats, interval>."
std::string measured_sentence(const record::Record& record);
/// "On this host: memory ±0.6 %, CPU ±1.1 %, p99 ±90 µs (calibrated …)." Without a calibration the
/// command that makes one.
std::string accuracy_sentence(const std::optional<record::Accuracy>& accuracy);
/// Why the record is not whole; empty when it is.
std::string warning_of(const record::Record& record);

/// method.md, "Honesty rules", 6, 11, 13 and 14: what the figures leave out, each a sentence.
std::vector<std::string> not_measured(const record::Record& record);

/// Said beside every table that holds closed-loop latencies.
std::string_view closed_loop_note();

}  // namespace weighbridge::report

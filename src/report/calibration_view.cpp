#include "report/calibration_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/detail/facts.h"
#include "report/markdown.h"
#include "report/numbers.h"
#include "report/text.h"
#include "report/wording.h"

namespace weighbridge::report {
namespace {

using record::Calibration;
using record::KnownWeight;
using record::WeightVerdict;

/// Errors are differences of nearly equal numbers: their own digits count, not the figure's.
std::string error_figure(double value) {
  constexpr double kShown = 5e-7;  // figure() has six decimals
  if (std::fabs(value) < kShown) return "0";
  return fmt::format("{}{}", value > 0 ? "+" : "-", figure(std::fabs(value)));
}

Cell error_cell(const KnownWeight& weight) {
  if (weight.told) return {fmt::format("{:+.0f}", weight.error.value)};
  Cell cell(error_figure(weight.error.value));
  if (const auto& interval = weight.error.interval; interval && interval->low != interval->high)
    cell.spread =
        fmt::format("[{}, {}]", error_figure(interval->low), error_figure(interval->high));
  return cell;
}

std::string bound_words(const KnownWeight& weight) {
  std::vector<std::string> words;
  if (weight.bound)
    words.push_back(*weight.bound == 0 ? std::string("exact")
                                       : fmt::format("{} {}", figure(*weight.bound), weight.unit));
  if (weight.bound_percent) words.push_back(fmt::format("{:.3g} %", *weight.bound_percent));
  return fmt::format("{}", fmt::join(words, " or "));
}

std::string verdict_words(const KnownWeight& weight) {
  switch (weight.verdict) {
    case WeightVerdict::within:
      return "within";
    case WeightVerdict::outside:
      return "OUTSIDE";
    case WeightVerdict::too_few_quiet:
      return "not judged";
  }
  return {};
}

std::string quiet_words(const KnownWeight& weight) {
  return fmt::format("{} of {}", weight.weighings.size() - weight.not_quiet,
                     weight.weighings.size());
}

Table weights_table(const Calibration& calibration) {
  Table table;
  table.title = "Known weights";
  table.columns = {{"weight", Content::code},
                   {"what weighs, and what shows it", Content::text, 3},
                   {"true"},
                   {"measured"},
                   {"error", Content::number, 0, true},
                   {"error, %", Content::number, 2},
                   {"allowed", Content::text},
                   {"verdict", Content::text},
                   {"quiet", Content::text, 1}};
  for (const KnownWeight& weight : calibration.weights) {
    const auto with_unit = [&](double value) {
      return fmt::format("{} {}", weight.told ? fmt::format("{:.0f}", value) : figure(value),
                         weight.unit);
    };
    table.rows.push_back({weight.id, weight.what, with_unit(weight.truth),
                          with_unit(weight.measured), error_cell(weight),
                          weight.error_percent ? Cell(error_figure(*weight.error_percent)) : Cell(),
                          bound_words(weight), verdict_words(weight), quiet_words(weight)});
  }
  table.notes = {fmt::format(
      "Medians of the quiet weighings with the error's interval; the null weight, the same server "
      "weighed just before without the weight, is subtracted. True is what the server says it "
      "really did. A verdict needs {} quiet weighings; with fewer, the figures are of all of them "
      "and nothing is judged.",
      calibration.least_quiet)};
  return table;
}

std::string verdict_sentence(const Calibration& calibration) {
  std::uint64_t outside = 0;
  std::uint64_t unjudged = 0;
  for (const KnownWeight& weight : calibration.weights) {
    if (weight.verdict == WeightVerdict::outside) ++outside;
    if (weight.verdict == WeightVerdict::too_few_quiet) ++unjudged;
  }
  const std::uint64_t all = calibration.weights.size();
  if (all == 0) return "Nothing was weighed.";
  if (outside + unjudged == 0)
    return fmt::format("All {} are within their bounds.", counted(all, "known weight"));
  std::string sentence =
      fmt::format("Of {}, {} are within their bounds, {} outside", counted(all, "known weight"),
                  all - outside - unjudged, outside);
  if (unjudged > 0)
    sentence += fmt::format(", and {} could not be judged: the host was too busy", unjudged);
  return sentence + ".";
}

std::string warning_of(const Calibration& calibration) {
  if (std::string words = early_end_words(calibration.status, calibration.broke_off_because);
      !words.empty())
    return words;
  if (!calibration.only.empty())
    return fmt::format("Only weights like \"{}\" were weighed: nothing that later reports quote.",
                       calibration.only);
  if (calibration.quick)
    return "This was a quick calibration: few weighings. An indication, not to be quoted.";
  return {};
}

}  // namespace

CalibrationView view_of(const Calibration& calibration) {
  CalibrationView view;
  view.verdict = verdict_sentence(calibration);
  if (calibration.only.empty()) view.accuracy = accuracy_sentence(calibration.accuracy);
  view.measured = fmt::format(
      "Weighed: {}, on {}, with {}, {}.",
      calibration.server.empty() ? "the reference server" : calibration.server,
      machine_words(calibration.host), build_words(calibration.build), calibration.generated_at);
  view.warning = warning_of(calibration);
  view.weights = weights_table(calibration);
  for (const record::Doubt& doubt : calibration.doubts)
    view.doubts.push_back(fmt::format("{}: {}. {}.", doubt.where, doubt.message, doubt.advice));
  view.host = detail::host_facts(calibration.host);
  view.build = detail::build_facts(calibration.build);
  return view;
}

std::string to_terminal(const CalibrationView& view, const TerminalStyle& style) {
  std::string text;
  const auto prose = [&](const std::string& sentence) {
    for (const std::string& line : wrap(printable(sentence, 2000), style.width))
      text += line + '\n';
  };
  if (!view.warning.empty()) {
    prose(view.warning);
    text += '\n';
  }
  prose(view.verdict);
  if (!view.accuracy.empty()) prose(view.accuracy);
  text += table_text(view.weights, style);
  for (const std::string& note : view.weights.notes) prose(note);
  for (const std::string& doubt : view.doubts) prose(doubt);
  return text;
}

std::string to_markdown(const CalibrationView& view) {
  std::string text = "# How far off the figures are\n\n";
  const auto prose = [&](const std::string& sentence) {
    text += markdown_text(sentence, 2000) + "\n\n";
  };
  if (!view.warning.empty()) text += fmt::format("> **{}**\n\n", markdown_text(view.warning));
  prose(view.verdict);
  if (!view.accuracy.empty()) prose(view.accuracy);
  prose(view.measured);
  text.pop_back();
  text += table_markdown(view.weights);
  for (const std::string& doubt : view.doubts) text += "\n" + markdown_text(doubt, 2000) + "\n";
  for (const auto& [title, facts] : {std::pair("Host", &view.host), {"Build", &view.build}}) {
    text += fmt::format("\n## {}\n\n| | |\n| --- | --- |\n", title);
    for (const Fact& fact : *facts)
      text += fmt::format("| {} | {} |\n", fact.name, markdown_text(fact.value));
  }
  return text + "\n`weighbridge report record.json --format markdown` draws this page again.\n";
}

}  // namespace weighbridge::report

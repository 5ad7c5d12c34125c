#pragma once

#include <string>
#include <vector>

#include "record/calibration.h"
#include "report/table.h"
#include "report/terminal.h"
#include "report/view.h"

namespace weighbridge::report {

/// A calibration as people read it.
struct CalibrationView {
  std::string verdict;   ///< a sentence: how many weights within their bounds
  std::string accuracy;  ///< the sentence that reports will quote; empty when of some weights only
  std::string measured;  ///< host, build, date
  std::string warning;   ///< why it is not whole, or an indication only; empty when it is whole
  Table weights;
  std::vector<std::string> doubts;  ///< sentences
  std::vector<Fact> host;
  std::vector<Fact> build;
};

/// Pure.
CalibrationView view_of(const record::Calibration& calibration);

std::string to_terminal(const CalibrationView& view, const TerminalStyle& style);
std::string to_markdown(const CalibrationView& view);

}  // namespace weighbridge::report

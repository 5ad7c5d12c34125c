#include "cli/exit_code.h"

namespace weighbridge::cli {

ExitCode exit_code_for(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::plan:
      return ExitCode::wrong_words;
    case ErrorCode::target:
      return ExitCode::target;
    case ErrorCode::interrupted:
      return ExitCode::interrupted;
    // Trouble that reaches the front door under one of these names came in the middle of the work:
    // what is wrong before it begins is said as usage, plan or target.
    case ErrorCode::run:
    case ErrorCode::system:
    case ErrorCode::timeout:
    case ErrorCode::closed:
    case ErrorCode::malformed:
      return ExitCode::broke_off;
  }
  return ExitCode::broke_off;
}

}  // namespace weighbridge::cli

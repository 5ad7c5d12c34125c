#pragma once

#include "base/error.h"

namespace weighbridge::cli {

/// What the program tells the shell.
enum class ExitCode {
  done = 0,
  said_no = 1,       ///< a gate or a check: nothing went wrong, and the answer is no
  wrong_words = 2,   ///< the command line or the plan
  target = 3,        ///< the server could not be started or never became ready
  broke_off = 4,     ///< the record holds what was measured
  interrupted = 130  ///< likewise; 128 + SIGINT, as shells have it, for SIGTERM too
};

/// The one place where a kind of error becomes an exit code.
ExitCode exit_code_for(ErrorCode code);

}  // namespace weighbridge::cli

#include "cli/exit_code.h"

#include <gtest/gtest.h>

namespace weighbridge::cli {
namespace {

TEST(ExitCode, WrongWordsAndWrongPlansAreTwo) {
  EXPECT_EQ(static_cast<int>(exit_code_for(ErrorCode::usage)), 2);
  EXPECT_EQ(static_cast<int>(exit_code_for(ErrorCode::plan)), 2);
}

TEST(ExitCode, ATargetThatNeverBecameReadyIsThree) {
  EXPECT_EQ(static_cast<int>(exit_code_for(ErrorCode::target)), 3);
}

TEST(ExitCode, WhateverBreaksARunOffIsFour) {
  for (const ErrorCode code : {ErrorCode::run, ErrorCode::system, ErrorCode::timeout,
                               ErrorCode::closed, ErrorCode::malformed})
    EXPECT_EQ(static_cast<int>(exit_code_for(code)), 4);
}

TEST(ExitCode, AnInterruptIsWhatShellsExpect) {
  EXPECT_EQ(static_cast<int>(exit_code_for(ErrorCode::interrupted)), 130);
}

}  // namespace
}  // namespace weighbridge::cli

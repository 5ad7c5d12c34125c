#include "modes/conclude.h"

#include <gtest/gtest.h>

namespace weighbridge::modes {
namespace {

class Keeper final : public Observer {
 public:
  void on_progress(const Progress& /*progress*/) override {}
  void on_note(const std::string& /*line*/) override {}
  Result<void> on_step(const record::Record& record) override {
    saved = record;
    return answer;
  }

  record::Record saved;
  Result<void> answer;
};

TEST(Conclude, SavesWhatWentWellAsComplete) {
  Keeper keeper;
  record::Record record;
  record.status = record::Status::broke_off;
  EXPECT_FALSE(conclude(record, {}, keeper));
  EXPECT_EQ(keeper.saved.status, record::Status::complete);
  EXPECT_EQ(keeper.saved.broke_off_because, "");
}

TEST(Conclude, SavesWhatBrokeOffWithItsReason) {
  Keeper keeper;
  record::Record record;
  const auto error = conclude(record, fail(ErrorCode::run, "the target ended"), keeper);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->what, "the target ended");
  EXPECT_EQ(keeper.saved.status, record::Status::broke_off);
  EXPECT_NE(keeper.saved.broke_off_because.find("the target ended"), std::string::npos);
}

TEST(Conclude, TellsAnInterruptionFromAFailure) {
  Keeper keeper;
  record::Record record;
  EXPECT_TRUE(conclude(record, fail(ErrorCode::interrupted, "interrupted"), keeper));
  EXPECT_EQ(keeper.saved.status, record::Status::interrupted);
}

TEST(Conclude, TellsOfAFailedSavingOnlyWhereItHidesNothing) {
  Keeper keeper;
  keeper.answer = fail(ErrorCode::run, "the disk is full");
  record::Record record;
  EXPECT_EQ(conclude(record, {}, keeper)->what, "the disk is full");
  EXPECT_EQ(conclude(record, fail(ErrorCode::run, "the target ended"), keeper)->what,
            "the target ended");
}

}  // namespace
}  // namespace weighbridge::modes

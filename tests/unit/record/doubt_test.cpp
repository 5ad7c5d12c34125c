#include "record/doubt.h"

#include <gtest/gtest.h>

#include <set>

#include "record/record.h"

namespace weighbridge::record {
namespace {

TEST(Doubt, KindsHaveNamesOfTheirOwnThatReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(DoubtKind::streams_resumed); ++i) {
    const auto kind = static_cast<DoubtKind>(i);
    EXPECT_FALSE(to_string(kind).empty()) << i;
    EXPECT_TRUE(names.insert(to_string(kind)).second) << to_string(kind);
    DoubtKind back{};
    ASSERT_TRUE(from_string(to_string(kind), back));
    EXPECT_EQ(back, kind);
  }
}

TEST(Doubt, OfUnknownNameIsNotRead) {
  DoubtKind kind = DoubtKind::no_tool;
  EXPECT_FALSE(from_string("bad_mood", kind));
  EXPECT_FALSE(from_string("", kind));
  EXPECT_EQ(kind, DoubtKind::no_tool);
}

TEST(Status, NamesReadBack) {
  for (const Status status : {Status::complete, Status::interrupted, Status::broke_off}) {
    Status back = Status::complete;
    ASSERT_TRUE(from_string(to_string(status), back));
    EXPECT_EQ(back, status);
  }
  Status status = Status::interrupted;
  EXPECT_FALSE(from_string("done", status));
  EXPECT_EQ(status, Status::interrupted);
}

}  // namespace
}  // namespace weighbridge::record

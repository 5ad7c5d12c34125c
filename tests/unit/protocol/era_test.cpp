#include "protocol/era.h"

#include <gtest/gtest.h>

namespace weighbridge::protocol {
namespace {

TEST(Era, TableIsInTheOrderOfItsEnumAndOldestFirst) {
  std::string_view previous;
  for (const Era& entry : eras()) {
    EXPECT_EQ(&era(entry.revision), &entry);
    EXPECT_EQ(find_era(entry.name), &entry);
    EXPECT_LT(previous, entry.name);
    previous = entry.name;
  }
}

TEST(Era, UnknownNamesAreNotFound) {
  EXPECT_EQ(find_era("2027-01-01"), nullptr);
  EXPECT_EQ(find_era(""), nullptr);
}

TEST(Era, NewestIsStatelessAndNewestHandshakeIsItsPredecessor) {
  EXPECT_EQ(newest_era().name, "2026-07-28");
  EXPECT_FALSE(newest_era().handshake);
  EXPECT_EQ(newest_handshake_era().name, "2025-11-25");
}

TEST(Era, StatelessErasHaveNeitherSessionsNorServerRequests) {
  for (const Era& entry : eras()) {
    if (entry.handshake) continue;
    EXPECT_FALSE(entry.sessions);
    EXPECT_FALSE(entry.server_requests);
    EXPECT_FALSE(entry.ping);
    EXPECT_TRUE(entry.version_header);
  }
}

}  // namespace
}  // namespace weighbridge::protocol

#include "report/tables.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "example_record.h"

namespace weighbridge::report {
namespace {

/// The cell of a row under a column's title, as a reader sees it.
std::string at(const Table& table, std::size_t row, const std::string& title) {
  const auto column = std::ranges::find_if(
      table.columns, [&](const Column& candidate) { return candidate.title == title; });
  if (column == table.columns.end()) return "no such column";
  return joined(table.rows.at(row).at(static_cast<std::size_t>(column - table.columns.begin())));
}

bool has_column(const Table& table, const std::string& title) {
  return std::ranges::any_of(table.columns,
                             [&](const Column& column) { return column.title == title; });
}

TEST(MemoryTable, GivesEveryScenarioARowWithItsMoments) {
  const Table table = memory_table(whole_record());
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(at(table, 0, "Scenario"), "stdio, dynamic");
  EXPECT_EQ(at(table, 0, "Clients"), "8");
  EXPECT_EQ(at(table, 0, "Idle"), kAbsent);
  EXPECT_EQ(at(table, 1, "Idle"), "35.2 [34.8, 35.3]");
  EXPECT_EQ(at(table, 0, "One client"), "106 [105, 108]");
  EXPECT_EQ(at(table, 0, "Proportional"), "390 [388, 391]");
  EXPECT_EQ(at(table, 0, "Threads"), "132");
  EXPECT_EQ(at(table, 0, "CPU ms per call"), "7.64 [7.50, 7.70]");
}

TEST(MemoryTable, ASlopeOfNothingIsPrintedWithTheIntervalThatSaysSo) {
  EXPECT_EQ(at(memory_table(whole_record()), 1, "Per extra client"), "0.021 [-0.530, 0.570]");
}

TEST(MemoryTable, ASingleRepeatStillHasTheIntervalOfItsSlope) {
  EXPECT_EQ(at(memory_table(quick_record()), 0, "Per extra client"), "61.2 [60.1, 62.3]");
}

TEST(MemoryTable, TheProportionalSetIsAColumnOnlyWhereItWasRead) {
  EXPECT_TRUE(has_column(memory_table(whole_record()), "Proportional"));
  EXPECT_FALSE(has_column(memory_table(quick_record()), "Proportional"));
}

TEST(MemoryTable, WhatWasNotMeasuredIsADashAndNeverZero) {
  const Table table = memory_table(interrupted_record());
  for (const char* column : {"Idle", "One client", "Peak", "Threads", "CPU ms per call"})
    EXPECT_EQ(at(table, 1, column), kAbsent) << column;
}

TEST(MemoryTable, CountsTheRepeatsThatWereMadeAndNotThoseAskedFor) {
  record::Record run = whole_record();
  run.scenarios[1].repeats.resize(2);
  run.scenarios[2].repeats.clear();
  EXPECT_NE(memory_table(run).notes.back().find("medians of 2 to 3 repeats"), std::string::npos);
}

TEST(WaitsTable, GivesTheListingItsSizeAndItsTools) {
  const Table table = waits_table(whole_record());
  EXPECT_EQ(at(table, 0, "Process ready"), "0.262 [0.241, 0.301]");
  EXPECT_EQ(at(table, 0, "Connect and handshake"), "4.10");
  EXPECT_EQ(at(table, 0, "First tools/list"), "351 [338, 360]");
  EXPECT_EQ(at(table, 0, "Listing"), "12.2 KB");
  EXPECT_EQ(at(table, 0, "Tools"), "2");
}

TEST(WaitsTable, AStatelessServerNeedsNoHandshakeColumn) {
  EXPECT_FALSE(has_column(waits_table(quick_record()), "Connect and handshake"));
}

TEST(WaitsTable, AListingThatNobodySawHasNoSize) {
  record::Record run = whole_record();
  run.servers.clear();
  EXPECT_EQ(at(waits_table(run), 0, "Listing"), kAbsent);
  EXPECT_EQ(at(waits_table(run), 0, "Tools"), kAbsent);
}

TEST(LatencyTable, CountsRefusedFailedAndHungApart) {
  const Table table = latency_table(whole_record());
  EXPECT_EQ(at(table, 4, "Method"), "tools/call");
  EXPECT_EQ(at(table, 4, "Served"), "2292");
  EXPECT_EQ(at(table, 4, "Refused"), "9");
  EXPECT_EQ(at(table, 4, "Failed"), "3");
  EXPECT_EQ(at(table, 5, "Hung"), "40");
}

TEST(LatencyTable, OutcomesThatNeverHappenedNeedNoColumn) {
  const Table table = latency_table(quick_record());
  EXPECT_FALSE(has_column(table, "Refused"));
  EXPECT_FALSE(has_column(table, "Failed"));
  EXPECT_FALSE(has_column(table, "Hung"));
}

TEST(LatencyTable, AMethodOfWhichNothingWasServedDrawsNoLatency) {
  const Table table = latency_table(whole_record());
  for (const char* column : {"p50", "p90", "p99", "Max"})
    EXPECT_EQ(at(table, 5, column), kAbsent) << column;
}

TEST(LatencyTable, APercentileThatTheSamplesDoNotAllowIsAbsent) {
  const Table table = latency_table(quick_record());
  EXPECT_EQ(at(table, 0, "p50"), "1.94");
  EXPECT_EQ(at(table, 0, "p90"), kAbsent);
  EXPECT_EQ(at(table, 0, "p99"), kAbsent);
  EXPECT_EQ(at(table, 0, "Max"), "5.82");
}

TEST(LatencyTable, SaysThatAClosedLoopHidesQueueing) {
  EXPECT_NE(latency_table(whole_record()).notes.front().find("hides queueing"), std::string::npos);
  const Table waits = waits_table(whole_record());
  EXPECT_TRUE(std::ranges::any_of(waits.notes, [](const std::string& note) {
    return note.find("hides queueing") != std::string::npos;
  }));
}

TEST(LatencyTable, PricesAMethodByTheMedianOfItsRepeats) {
  record::Record run = quick_record();
  record::Method method;
  method.method = "tools/list";
  method.detail = "whole surface";
  run.scenarios[0].repeats.resize(3, run.scenarios[0].repeats[0]);
  for (const double cost : {9.0, 1.0, 2.0}) {
    method.cpu_per_call_ms = cost;
    run.scenarios[0].repeats[static_cast<std::size_t>(cost) % 3].methods = {method};
  }
  EXPECT_EQ(at(latency_table(run), 0, "CPU ms per call"), "2.00 [1.00, 9.00]");
}

TEST(Tables, EveryRowHasACellForEveryColumn) {
  for (const record::Record& run : {whole_record(), interrupted_record(), quick_record()}) {
    for (const Table& table : {memory_table(run), waits_table(run), latency_table(run)}) {
      for (const Row& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
    }
  }
}

}  // namespace
}  // namespace weighbridge::report

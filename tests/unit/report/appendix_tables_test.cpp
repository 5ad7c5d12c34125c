#include "report/appendix_tables.h"

#include <gtest/gtest.h>

#include "example_record.h"

namespace weighbridge::report {
namespace {

TEST(ProcessesTable, EqualProcessesShareARowAndLaunchersComeLast) {
  const Table table = processes_table(whole_record());
  ASSERT_EQ(table.rows.size(), 6U);
  EXPECT_EQ(table.rows[0][1].value, "server");
  EXPECT_EQ(table.rows[0][2].value, "2");
  EXPECT_EQ(table.rows[0][5].value, "212");
  EXPECT_EQ(table.rows[0][6].value, "97.0");
  EXPECT_EQ(table.rows[1][1].value, "launcher");
}

TEST(ProcessesTable, ASumWithAnUnreadPartIsAbsent) {
  record::Record run = whole_record();
  run.scenarios[0].repeats[0].processes[2].proportional_mib.reset();
  EXPECT_EQ(processes_table(run).rows[0][6].value, kAbsent);
}

TEST(ProcessesTable, TheProportionalSetIsAColumnOnlyWhereItWasRead) {
  record::Record run = whole_record();
  for (record::Scenario& scenario : run.scenarios) {
    for (record::Repeat& repeat : scenario.repeats)
      for (record::Process& process : repeat.processes) process.proportional_mib.reset();
  }
  EXPECT_EQ(processes_table(run).columns.size() + 1,
            processes_table(whole_record()).columns.size());
}

TEST(DriverTable, WhatNoProcessCanUseNoneOfIsAbsentWhenZero) {
  record::Record run = quick_record();
  run.scenarios[0].repeats[0].driver.peak_mib = 0;
  run.scenarios[0].repeats[0].driver.standin_cpu_seconds = 0;
  const Row row = driver_table(run).rows[0];
  EXPECT_EQ(row[4].value, kAbsent);
  EXPECT_EQ(row[5].value, kAbsent);
}

TEST(DriverTable, ShowsTheWorstRepeat) {
  const Table table = driver_table(whole_record());
  EXPECT_EQ(table.rows[0][1].value, "0.319");
  EXPECT_EQ(table.rows[0][2].value, "12.8 %");
}

TEST(DriverTable, ShowsTheWorseWeatherOfBothSidesOfTheLoad) {
  const Row row = driver_table(whole_record()).rows[0];
  EXPECT_EQ(row[13].value, "1.20 %");
  EXPECT_EQ(row[14].value, "3.10");
  EXPECT_EQ(driver_table(quick_record()).rows[0][13].value, kAbsent);
}

TEST(ResourcesTable, BytesNobodyCouldReadAreAbsent) {
  const Table table = resources_table(whole_record());
  EXPECT_EQ(table.rows[0][6].value, "1.24 MB");
  EXPECT_EQ(table.rows[0][7].value, kAbsent);
}

TEST(StandinsTable, IsEmptyWithoutStandins) {
  EXPECT_TRUE(standins_table(quick_record()).empty());
  const Table table = standins_table(whole_record());
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][3].value, "metrics 4, traces 12");
}

TEST(ServersTable, SaysWhichToolWasChosenRatherThanNamed) {
  const Table table = servers_table(whole_record());
  EXPECT_EQ(table.rows[0].back().value, "find_ticket");
  EXPECT_EQ(table.rows[1].back().value, "find_ticket (chosen)");
  EXPECT_EQ(servers_table(quick_record()).rows[0].back().value, kAbsent);
}

TEST(AppendixTables, EveryRowHasACellForEveryColumn) {
  for (const record::Record& run : {whole_record(), interrupted_record(), quick_record()}) {
    for (const Table& table : {servers_table(run), processes_table(run), cpu_table(run),
                               resources_table(run), driver_table(run), standins_table(run)}) {
      for (const Row& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
    }
  }
}

}  // namespace
}  // namespace weighbridge::report

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/record.h"
#include "report/table.h"

namespace weighbridge::report {

/// All doubts of one kind with one advice, wherever they arose.
struct DoubtGroup {
  std::string kind;    ///< "driver_limited", as the record has it
  std::string title;   ///< the same for people
  std::string lost;    ///< which figures suffer
  std::string advice;  ///< foreign text may be inside, as in the places
  struct Place {
    std::string where;  ///< empty: the whole run
    std::string message;
  };
  std::vector<Place> places;
};

/// The first words with which a server refused or failed a method's calls.
struct FirstText {
  std::string scenario;
  std::string method;
  std::string outcome;  ///< "refused", "failed"
  std::uint64_t calls = 0;
  std::string text;  ///< foreign; may be empty
};

struct Fact {
  std::string name;
  std::string value;
};

/// How one variant's server was started.
struct Command {
  std::string label;  ///< "stdio, dynamic"
  std::string words;  ///< shell-quoted, redacted
};

/// A record as people read it: numbers chosen, rounded and worded once, for every output.
struct View {
  std::string title;     ///< "server-everything 2.0.0"
  std::string weighed;   ///< a sentence
  std::string measured;  ///< a sentence
  std::string accuracy;  ///< a sentence; empty where a record does not keep it
  std::string warning;   ///< why the record is not whole; empty when it is
  Table memory;
  Table waits;
  Table latency;
  std::vector<DoubtGroup> doubts;
  std::string outcomes;  ///< a sentence: how many calls, how many served
  std::vector<FirstText> first_texts;
  Table servers;
  Table processes;
  Table cpu;
  Table resources;
  Table driver;
  Table standins;
  std::vector<Fact> settings;
  std::vector<Fact> host;
  std::vector<Fact> build;
  std::vector<std::string> not_measured;
  std::vector<Command> commands;
  std::string plan_toml;
  std::string loop_note;  ///< what kind of load the latencies are of, and what follows from it
};

/// Pure: the same record gives the same view for ever.
View view_of(const record::Record& record);

}  // namespace weighbridge::report

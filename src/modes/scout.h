#pragma once

#include <optional>
#include <vector>

#include "client/session.h"
#include "modes/lab.h"
#include "modes/scenarios.h"
#include "protocol/outcome.h"
#include "record/doubt.h"
#include "record/record.h"

namespace weighbridge::modes {

/// What has to be known before anything is measured: which era is spoken, what is listed, what
/// tools/call will call.
struct Scouted {
  const protocol::Era* era = nullptr;
  client::HttpDialect dialect = client::HttpDialect::streamable;  ///< over HTTP
  record::Server server;
  std::optional<client::Call> tool_call;  ///< absent: left out, with a doubt
  protocol::Expectation expect;
  bool lists_resources = false;
  client::Listing tools;  ///< with their items
  std::vector<record::Doubt> doubts;
  std::vector<std::string> inherited_env;
  std::vector<std::string> stripped_env;
};

/// Starts the scenario's target once, apart from every measurement, asks it, and ends it. A process
/// of its own, so that what is measured later has answered nothing before. (An attached server is
/// asked itself: there is no other.)
Result<Scouted> scout(Lab& lab, const ScenarioSpec& spec, const client::SessionOptions& options);

/// The call of a tool that was listed. ErrorCode::plan, with the nearest name, when there is none.
Result<client::Call> call_of_listed(const client::Listing& tools, const std::string& name,
                                    const std::string& arguments, const std::string& where);

protocol::Expectation to_expectation(const plan::Expectation& asked);
std::vector<protocol::RefusalRule> to_refusals(const std::vector<plan::RefusalRule>& asked);

}  // namespace weighbridge::modes

#include <cstdlib>
#include <iostream>
#include <string>

#include "scenarios.h"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

/// The client under test of @modelcontextprotocol/conformance: the server's URL is the last word,
/// the rest comes in the environment.
int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: conformance-client URL (started by the conformance suite)\n";
    return 2;
  }
  const weighbridge::conformance::Scenario scenario{
      .name = variable("MCP_CONFORMANCE_SCENARIO"),
      .revision = variable("MCP_CONFORMANCE_PROTOCOL_VERSION"),
      .context = variable("MCP_CONFORMANCE_CONTEXT"),
      .url = argv[argc - 1]};
  if (const auto done = weighbridge::conformance::run(scenario); !done) {
    std::cerr << weighbridge::describe(done.error()) << '\n';
    return 1;
  }
  return 0;
}

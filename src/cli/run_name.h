#pragma once

#include <string>
#include <vector>

namespace weighbridge::cli {

/// A name for a run that has no plan, fit for a file name: the program, or what a launcher or an
/// interpreter was told to run. "npx -y @acme/server-files@1.2 /tmp" is "server-files", "node
/// node_modules/@acme/notes/dist/index.js" is "notes". Never empty.
std::string name_of_command(const std::vector<std::string>& command);
/// "127.0.0.1-3001" for http://127.0.0.1:3001/mcp.
std::string name_of_url(const std::string& url);

}  // namespace weighbridge::cli

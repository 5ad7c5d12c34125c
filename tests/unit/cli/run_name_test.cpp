#include "cli/run_name.h"

#include <gtest/gtest.h>

namespace weighbridge::cli {
namespace {

TEST(RunName, IsTheProgramsOwn) {
  EXPECT_EQ(name_of_command({"/usr/bin/mcp-server-everything", "stdio"}), "mcp-server-everything");
  EXPECT_EQ(name_of_command({"build/reference-server"}), "reference-server");
}

TEST(RunName, IsThePackageThatALauncherStarts) {
  EXPECT_EQ(
      name_of_command({"npx", "-y", "@modelcontextprotocol/server-everything@2.0.0", "stdio"}),
      "server-everything");
  EXPECT_EQ(name_of_command({"uvx", "mcp-server-time"}), "mcp-server-time");
  EXPECT_EQ(name_of_command({"uv", "tool", "run", "mcp-server-git==1.0"}), "mcp-server-git");
  EXPECT_EQ(name_of_command({"npm", "exec", "--", "notes"}), "notes");
}

TEST(RunName, IsTheScriptThatAnInterpreterReads) {
  EXPECT_EQ(name_of_command({"node", "--max-old-space-size=64", "tickets.mjs"}), "tickets");
  EXPECT_EQ(name_of_command({"python3.11", "-m", "notes_server"}), "notes_server");
}

TEST(RunName, LooksPastNamesThatSayNothing) {
  EXPECT_EQ(name_of_command({"node", "node_modules/@acme/notes/dist/index.js"}), "notes");
  EXPECT_EQ(name_of_command({"./dist/index.js"}), "index");
}

TEST(RunName, LooksIntoAShellsCommand) {
  EXPECT_EQ(name_of_command({"sh", "-c", "npx -y @acme/notes --stdio"}), "notes");
  EXPECT_EQ(name_of_command({"env", "LOG=error", "notes", "--stdio"}), "notes");
  EXPECT_EQ(name_of_command({"bash", "start-notes.sh"}), "start-notes");
}

TEST(RunName, FitsIntoAFileName) {
  EXPECT_EQ(name_of_command({"my server (new)"}), "my-server--new-");
  EXPECT_EQ(name_of_command({"..."}), "server");
  EXPECT_EQ(name_of_command({""}), "server");
}

TEST(RunName, OfAUrlIsItsHostAndNeverItsPassword) {
  EXPECT_EQ(name_of_url("http://127.0.0.1:3001/mcp"), "127.0.0.1-3001");
  EXPECT_EQ(name_of_url("https://me:secret@example.org/mcp?token=x"), "example.org");
}

}  // namespace
}  // namespace weighbridge::cli

"""The four-tool server on the official Python SDK: both eras.

python server.py stdio | python server.py http PORT
"""

import json
import os
import sys

import anyio
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

READ_ONLY = ToolAnnotations(read_only_hint=True)

# The SDK's default, INFO, writes a line to standard error for every request.
server = MCPServer("sdk-python", version="2.3.0", log_level="WARNING")


# Without structured_output=False every answer would be sent twice: as text and as structured content.
@server.tool(description="Says the message back", annotations=READ_ONLY, structured_output=False)
async def echo(message: str) -> str:
    return f"Echo: {message}"


@server.tool(description="Adds two numbers", annotations=READ_ONLY, structured_output=False)
async def add(a: float, b: float) -> str:
    return f"{a + b:.15g}"


@server.tool(name="list", description="Lists n items", annotations=READ_ONLY, structured_output=False)
async def list_items(n: int) -> str:
    items = [{"id": i, "name": f"item {i}", "done": False} for i in range(n)]
    return json.dumps(items, separators=(",", ":"))


@server.tool(description="Sleeps for ms milliseconds", annotations=READ_ONLY, structured_output=False)
async def sleep(ms: int) -> str:
    await anyio.sleep(ms / 1000)
    return f"slept {ms} ms"


def main():
    match sys.argv[1:]:
        case ["stdio"]:
            server.run("stdio")
        case ["http", *words] if port := (words[0] if words else os.environ.get("PORT")):
            server.run("streamable-http", host="127.0.0.1", port=int(port))
        case _:
            sys.exit("usage: server.py stdio | server.py http PORT")


if __name__ == "__main__":
    main()

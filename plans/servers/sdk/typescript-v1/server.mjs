// The four-tool server on the official TypeScript SDK, version 1.
//   node server.mjs stdio | node server.mjs http PORT
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const annotations = { readOnlyHint: true };

function fourTools() {
  const server = new McpServer({ name: 'sdk-typescript-v1', version: '1.32.2' });
  server.registerTool(
    'echo',
    { description: 'Says the message back', inputSchema: { message: z.string() }, annotations },
    ({ message }) => text(`Echo: ${message}`),
  );
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() }, annotations },
    ({ a, b }) => text(String(a + b)),
  );
  server.registerTool(
    'list',
    { description: 'Lists n items', inputSchema: { n: z.number().int() }, annotations },
    ({ n }) => text(JSON.stringify(Array.from({ length: n }, (_, id) => ({ id, name: `item ${id}`, done: false })))),
  );
  server.registerTool(
    'sleep',
    { description: 'Sleeps for ms milliseconds', inputSchema: { ms: z.number().int() }, annotations },
    async ({ ms }) => {
      await pause(ms);
      return text(`slept ${ms} ms`);
    },
  );
  return server;
}

// A server object and a transport for each session, as the SDK's own examples do it.
function serveHttp(port) {
  const sessions = new Map();
  const app = createMcpExpressApp();
  app.all('/mcp', async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport) {
      if (!isInitializeRequest(request.body)) {
        const lost = request.headers['mcp-session-id'] !== undefined;
        const error = { code: lost ? -32001 : -32000, message: lost ? 'Session not found' : 'Bad Request: no session' };
        response.status(lost ? 404 : 400).json({ jsonrpc: '2.0', error, id: null });
        return;
      }
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
        onsessionclosed: (id) => void sessions.delete(id),
      });
      await fourTools().connect(transport);
    }
    await transport.handleRequest(request, response, request.body);
  });
  app.listen(port, '127.0.0.1');
}

const [how, port = process.env.PORT] = process.argv.slice(2);
if (how === 'stdio') {
  await fourTools().connect(new StdioServerTransport());
} else if (how === 'http' && port) {
  serveHttp(Number(port));
} else {
  console.error('usage: server.mjs stdio | server.mjs http PORT');
  process.exit(2);
}

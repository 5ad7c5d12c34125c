// The four-tool server on the official TypeScript SDK, version 2: both eras from one factory.
//   node server.mjs stdio | node server.mjs http PORT
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const annotations = { readOnlyHint: true };

function fourTools() {
  const server = new McpServer({ name: 'sdk-typescript-v2', version: '2.4.0' });
  server.registerTool(
    'echo',
    { description: 'Says the message back', inputSchema: z.object({ message: z.string() }), annotations },
    ({ message }) => text(`Echo: ${message}`),
  );
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: z.object({ a: z.number(), b: z.number() }), annotations },
    ({ a, b }) => text(String(a + b)),
  );
  server.registerTool(
    'list',
    { description: 'Lists n items', inputSchema: z.object({ n: z.number().int() }), annotations },
    ({ n }) => text(JSON.stringify(Array.from({ length: n }, (_, id) => ({ id, name: `item ${id}`, done: false })))),
  );
  server.registerTool(
    'sleep',
    { description: 'Sleeps for ms milliseconds', inputSchema: z.object({ ms: z.number().int() }), annotations },
    async ({ ms }) => {
      await pause(ms);
      return text(`slept ${ms} ms`);
    },
  );
  return server;
}

// The SDK has no guard of its own here; these two are its advice for a plain node:http server.
function serveHttp(port) {
  const answer = toNodeHandler(createMcpHandler(fourTools));
  const hostAllowed = localhostHostValidation();
  const originAllowed = localhostOriginValidation();
  createServer((request, response) => {
    if (!hostAllowed(request, response) || !originAllowed(request, response)) return;
    if (request.url === '/mcp') answer(request, response);
    else response.writeHead(404).end();
  }).listen(port, '127.0.0.1');
}

const [how, port = process.env.PORT] = process.argv.slice(2);
if (how === 'stdio') {
  serveStdio(fourTools);
} else if (how === 'http' && port) {
  serveHttp(Number(port));
} else {
  console.error('usage: server.mjs stdio | server.mjs http PORT');
  process.exit(2);
}

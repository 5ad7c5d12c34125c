'use strict';
// node --require loopback.cjs SERVER: whatever the server asks for, its TCP listeners open on
// 127.0.0.1. Several MCP servers listen on every interface and have no option against it; a server
// that is being weighed must not be reachable from other machines.
const net = require('node:net');

const listen = net.Server.prototype.listen;
const loopback = '127.0.0.1';

const isPort = (value) => value === undefined || value === null || /^\d+$/.test(String(value));

// The forms of listen() that open a TCP port are (port, host?, backlog?, callback?) and
// ({port, host, …}, callback?); those that name a path, a handle or a descriptor are left alone.
net.Server.prototype.listen = function (first, ...rest) {
  if (typeof first === 'function' || first === undefined) {
    return listen.call(this, 0, loopback, ...(first ? [first] : []), ...rest);
  }
  if (isPort(first)) {
    if (rest.length > 0 && (typeof rest[0] === 'string' || rest[0] == null)) rest.shift();
    return listen.call(this, first ?? 0, loopback, ...rest);
  }
  if (typeof first === 'object' && 'port' in first) {
    return listen.call(this, { ...first, host: loopback }, ...rest);
  }
  return listen.call(this, first, ...rest);
};

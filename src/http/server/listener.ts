import cluster from 'node:cluster';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, Server as TcpServer } from 'node:net';
import { setImmediate as polled, setTimeout as pause } from 'node:timers/promises';
import { stopwatch } from '../../platform/clock.ts';
import { type MalformedOptions, rejectMalformed } from './malformed.ts';
import { firstValue } from './raw-headers.ts';

/** Time that requests in flight have after the stop signal. */
const DRAIN_MS = 8_000;
const CLOSE_IDLE_EVERY_MS = 50;
/** The port closes when this many checks in succession saw no new connection, at the latest after `MAX_ACCEPTS_MS`. */
const QUIET_CHECKS = 5;
const CHECK_EVERY_MS = 10;
const MAX_ACCEPTS_MS = 1_000;
/** Time for requests that were sent before their client knew of the stop. */
const LAST_REQUESTS_MS = 200;
/** Sockets that listen on the port of a process. */
const LISTENERS = 8;

/** Linux distributes connections among such sockets. Node.js 20, which may run an edge agent, cannot open them. */
const CAN_SHARE_PORT = process.platform === 'linux' && Number.parseInt(process.versions.node, 10) >= 23;

/** Above Node's 16 KiB, so that a path of 40,000 bytes gets our own 414. */
export const MAX_HEADER_BYTES = 64 * 1024;

const LIMITS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 20_000,
  // Enough for an import of 2 GiB at 5 Mbit/s.
  requestTimeout: 3_600_000,
  keepAliveTimeout: 72_000,
  // `rejectMalformed` checks it, and sends an error body.
  requireHostHeader: false,
};

/** The further listening sockets of a server. */
const furtherListeners = new WeakMap<Server, TcpServer[]>();

/** Time for the rest of a body whose request is answered. */
const LATE_BODY_MS = 10_000;

export function createHttpServer(
  listener: RequestListener,
  { lateBodyMs = LATE_BODY_MS, ...options }: MalformedOptions & { lateBodyMs?: number },
): Server {
  const server = createServer(LIMITS);
  rejectMalformed(server, options, (request, response) => {
    const isChunked = firstValue(request.rawHeaders, 'transfer-encoding') !== undefined;
    // A proxy that knows only HTTP/1.0 takes the chunks for the next request (RFC 9112, 6.1).
    if (isChunked && request.httpVersionMinor === 0) response.shouldKeepAlive = false;
    if (isChunked || firstValue(request.rawHeaders, 'content-length') !== undefined)
      response.once('finish', () => void limitRest(request, lateBodyMs));
    listener(request, response);
  });
  return server;
}

/** Closes the connection of a request that is answered if its body does not end in time. */
function limitRest(request: IncomingMessage, lateBodyMs: number): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), lateBodyMs);
  request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
  request.resume();
}

/**
 * Opens the port. Returns its address, such as http://127.0.0.1:3000. Throws if the port is taken.
 *
 * On Linux, several sockets listen: Node accepts one connection per socket and turn of the event loop, so a turn of
 * 10 ms would limit new connections to 100 a second. In a cluster, the primary process accepts.
 */
export async function openPort(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  // Without `reusePort`, so that a port in use is an error.
  await listen(server, { host, port });
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server listens on no TCP port');
  // Another process could take a port that the system has chosen while it is closed.
  const isFixed = port !== 0;
  if (isFixed && CAN_SHARE_PORT && !cluster.isWorker) await shareAmong(server, { host, port: address.port });
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

/** Listens again, now with several sockets. All of them need `reusePort`. */
async function shareAmong(server: Server, at: { host: string; port: number }): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
  const further = Array.from({ length: LISTENERS - 1 }, () =>
    createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit('connection', socket)),
  );
  furtherListeners.set(server, further);
  for (const each of [server, ...further]) await listen(each, { ...at, reusePort: true });
}

function listen(server: TcpServer, at: { host: string; port: number; reusePort?: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Waits for the connections that the system has accepted and this process has not: closing the port resets them. */
async function lastAccepts(server: Server): Promise<void> {
  const end = stopwatch() + MAX_ACCEPTS_MS;
  let quietChecks = 0;
  const onConnection = (): void => void (quietChecks = 0);
  server.on('connection', onConnection);
  // Checks are counted after the event loop has polled: time also passes while a busy process accepts nothing.
  for (; quietChecks < QUIET_CHECKS && stopwatch() < end; quietChecks++) {
    await pause(CHECK_EVERY_MS);
    await polled();
  }
  server.off('connection', onConnection);
}

/**
 * Closes the port, answers what arrives on open connections for a moment, waits for the requests in flight, and closes
 * their connections after 8 s. Every response closes its connection.
 */
export async function closePort(server: Server): Promise<void> {
  if (!server.listening) return;
  server.prependListener('request', (_request, response) => (response.shouldKeepAlive = false));
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await lastAccepts(server);
  const all = [server, ...(furtherListeners.get(server) ?? [])];
  // Not the method of the HTTP server, which closes connections whose request has arrived and is not read yet.
  const closed = all.map((each) => new Promise((resolve) => TcpServer.prototype.close.call(each, resolve)));
  const deadline = stopwatch() + LAST_REQUESTS_MS;
  const idle = setInterval(() => {
    // After the reads of this turn of the event loop.
    if (stopwatch() >= deadline) setImmediate(() => server.closeIdleConnections());
  }, CLOSE_IDLE_EVERY_MS);
  await Promise.all(closed);
  clearInterval(idle);
  clearTimeout(timer);
}

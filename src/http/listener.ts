import { createServer, type RequestListener, type Server } from 'node:http';

/** Time that requests in flight have after the stop signal. */
const DRAIN_MS = 8_000;
const CLOSE_IDLE_EVERY_MS = 50;

const LIMITS = {
  // Above Node's 16 KiB, so that a path of 40,000 bytes gets our own 414.
  maxHeaderSize: 64 * 1024,
  headersTimeout: 20_000,
  // Enough for an import of 2 GiB at 5 Mbit/s.
  requestTimeout: 3_600_000,
  keepAliveTimeout: 72_000,
  // A request without a body begins as ended, which saves a tenth of the time of a redirect (see server-options.ts).
  optimizeEmptyRequests: true,
};

export function createHttpServer(listener: RequestListener): Server {
  return createServer(LIMITS, listener);
}

/** Opens the port. Returns its address, such as http://127.0.0.1:3000. Throws if the port is taken. */
export async function openPort(server: Server, at: { host: string; port: number }): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server listens on no TCP port');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

/** Closes the port, waits for the requests in flight, and closes their connections after 8 s. */
export async function closePort(server: Server): Promise<void> {
  if (!server.listening) return;
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // Keep-alive: after its response a connection stays open for the next request, which must not come.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(timer);
}

/** Webhook receivers on real sockets: one that records requests and replies as configured, and a raw one. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { until } from './wait.ts';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** performance.now() of the last byte */
  at: number;
}

/** A status, or a function that writes the response. A function that does nothing is a receiver that hangs. */
export type Reply = number | ((response: ServerResponse, received: Received) => void);

export interface Receiver {
  /** such as `http://127.0.0.1:4000/hook` */
  url: string;
  port: number;
  /** in the order of their last bytes */
  requests: Received[];
  /** requests without a response: now, and the maximum */
  inFlight(): number;
  mostInFlight(): number;
  /** sets the reply of later requests */
  reply(how: Reply): void;
  /** resolves with the requests when there are at least `count` */
  got(count: number, withinMs?: number): Promise<Received[]>;
  /** responds to every waiting request */
  release(status?: number): void;
  /** closes all connections and the port */
  stop(): Promise<void>;
}

export interface ReceiverOptions {
  /** default: 200 */
  reply?: Reply;
  /** enables TLS; both in PEM */
  tls?: { key: string; cert: string };
  port?: number;
}

export const hang: Reply = () => undefined;

export async function startReceiver({ reply = 200, tls, port = 0 }: ReceiverOptions = {}): Promise<Receiver> {
  let how = reply;
  let most = 0;
  const requests: Received[] = [];
  const waiting = new Set<ServerResponse>();
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    waiting.add(response.on('close', () => waiting.delete(response)));
    most = Math.max(most, waiting.size);
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const received = { method, path: url, headers, body, at: performance.now() };
      requests.push(received);
      if (typeof how === 'number') response.writeHead(how).end('ok');
      else how(response, received);
    });
  };
  const server: Server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
  const opened = await listen(server, port);
  return {
    url: `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${opened}/hook`,
    port: opened,
    requests,
    inFlight: () => waiting.size,
    mostInFlight: () => most,
    reply: (next) => (how = next),
    got: (count, withinMs) => until(() => Promise.resolve(requests.length >= count && [...requests]), withinMs),
    release(status = 200) {
      for (const response of waiting) if (!response.headersSent) response.writeHead(status).end();
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export interface RawReceiver {
  url: string;
  port: number;
  /** all connections, in order */
  sockets: Socket[];
  stop(): Promise<void>;
}

/**
 * A TCP server that hands over each connection: `onRequest` is called once, with the first bytes that the client sends.
 */
export async function startRawReceiver(onRequest: (socket: Socket, firstBytes: Buffer) => void): Promise<RawReceiver> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    // Most of these tests expect the client to close the connection.
    socket.on('error', () => undefined).once('data', (bytes: Buffer) => onRequest(socket, bytes));
  });
  const port = await listen(server, 0);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    sockets,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Writes what `next` returns, with backpressure, until the client closes or `next` returns undefined. */
export function pour(socket: Socket, next: () => string | Buffer | undefined): void {
  const more = (): void => {
    while (!socket.destroyed) {
      const piece = next();
      if (piece === undefined) return;
      if (!socket.write(piece)) return void socket.once('drain', more);
    }
  };
  more();
}

/** Writes a chunk every `everyMs` until the client closes. */
export function drip(socket: Socket, piece: () => string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece()), everyMs);
  socket.on('close', () => clearInterval(timer));
}

async function listen(server: TcpServer, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server.address());
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return address.port;
}

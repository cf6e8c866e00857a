import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../../src/platform/postgres/server.ts';

/** A port in front of a database that a test can close, as if the server had stopped. */
export interface Relay {
  /** the URL of the database through this port */
  url: string;
  open(): Promise<void>;
  isOpen(): boolean;
  /** Ends all connections and refuses new ones. */
  close(): Promise<void>;
  /** Passes nothing more on the connections that exist, and keeps them open. New ones work. */
  silence(): void;
}

/** Creates a relay to the database of the URL, open. */
export async function openRelay(databaseUrl: string): Promise<Relay> {
  const target = new URL(databaseUrl);
  const port = await freePort('127.0.0.1');
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let server: Server | undefined;

  function relay(from: Socket): void {
    const to = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        // A silent connection does not pass its end either.
        if (!silent.has(socket)) other.destroy();
      });
      socket.pipe(other);
    }
  }

  const url = new URL(databaseUrl);
  url.port = String(port);
  const opened: Relay = {
    url: url.href,
    async open() {
      server = createServer(relay).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    isOpen: () => server?.listening ?? false,
    async close() {
      const closed = server && once(server, 'close');
      server?.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    silence() {
      for (const socket of sockets) {
        silent.add(socket);
        socket.unpipe();
        socket.resume();
      }
    },
  };
  await opened.open();
  return opened;
}

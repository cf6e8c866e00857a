/**
 * A proxy in front of PostgreSQL that records which statements pass, with their parameters (messages Parse, Bind and
 * Query of the protocol). So a read can be repeated through pg alone exactly as the service executes it.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { atEnd } from './cleanup.ts';

export interface Statement {
  text: string;
  /** parameters in text format */
  values: (string | null)[];
}

export interface StatementRecorder {
  /** the database through the proxy */
  url: string;
  /** Returns the statements since the last call. */
  take(): Statement[];
  stop(): Promise<void>;
}

export async function startStatementRecorder(databaseUrl: string): Promise<StatementRecorder> {
  const target = new URL(databaseUrl);
  let statements: Statement[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    client.setNoDelay(true);
    client.on(
      'data',
      createReader((statement) => statements.push(statement)),
    );
    client.pipe(database).pipe(client);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => void (sockets.delete(socket) && other.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address !== null && typeof address === 'object' ? address.port : 0);
  return {
    url: url.href,
    take() {
      const taken = statements;
      statements = [];
      return taken;
    },
    stop: atEnd(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    }),
  };
}

/** Reads the messages of one connection, across chunks. The startup message has no type. */
function createReader(onStatement: (statement: Statement) => void): (chunk: Buffer) => void {
  const texts = new Map<string, string>();
  let pending = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const head = isStarted ? 1 : 0;
      if (pending.length < head + 4) return;
      const end = head + pending.readInt32BE(head);
      if (pending.length < end) return;
      if (isStarted) readMessage(pending.subarray(0, end), texts, onStatement);
      isStarted = true;
      pending = pending.subarray(end);
    }
  };
}

function readMessage(message: Buffer, texts: Map<string, string>, onStatement: (statement: Statement) => void): void {
  let at = 5;
  const text = (): string => {
    const end = message.indexOf(0, at);
    const value = message.toString('utf8', at, end);
    at = end + 1;
    return value;
  };
  const type = String.fromCharCode(message[0] ?? 0);
  if (type === 'Q') onStatement({ text: text(), values: [] });
  if (type === 'P') {
    const name = text();
    texts.set(name, text());
  }
  if (type !== 'B') return;
  text(); // the portal
  const statement = texts.get(text()) ?? '';
  const int16 = (): number => message.readInt16BE((at += 2) - 2);
  const formats = Array.from({ length: int16() }, int16);
  const values = Array.from({ length: int16() }, (_, index) => {
    const length = message.readInt32BE((at += 4) - 4);
    if (length < 0) return null;
    const bytes = message.subarray(at, (at += length));
    const isBinary = (formats.length === 1 ? formats[0] : formats[index]) === 1;
    return isBinary ? `\\x${bytes.toString('hex')}` : bytes.toString('utf8');
  });
  onStatement({ text: statement, values });
}

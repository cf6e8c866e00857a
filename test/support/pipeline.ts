/** Many requests over one connection without waiting in between: tens of thousands a second. */
import { createConnection } from 'node:net';

export interface Head {
  status: number;
  location: string | undefined;
  /** the whole head, without what differs between any two responses */
  text: string;
}

const BATCH_SIZE = 100;

/** The heads of the responses to HEAD requests, in their order. */
export async function heads(port: number, requests: { host: string; target: string }[]): Promise<Head[]> {
  const socket = createConnection(port, '127.0.0.1').setEncoding('latin1');
  const found: Head[] = [];
  let text = '';
  let wake = (): void => {};
  let problem: Error | undefined;
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      found.push(headOf(text.slice(0, end)));
      text = text.slice(end + 4);
    }
    wake();
  });
  socket
    .on('error', (error) => (problem = error))
    .on('close', () => {
      problem ??= new Error(`closed after ${found.length} of ${requests.length} responses: ${text}`);
      wake();
    });
  try {
    for (let at = 0; at < requests.length; at += BATCH_SIZE) {
      const batch = requests.slice(at, at + BATCH_SIZE);
      socket.write(
        batch.map(({ host, target }) => `HEAD ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join(''),
        'latin1',
      );
      while (found.length < at + batch.length) {
        if (problem) throw problem;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  } finally {
    socket.destroy();
  }
  return found;
}

function headOf(text: string): Head {
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  const [, location] = /\r\nlocation: (.*)/i.exec(text) ?? [];
  return { status: Number(status), location, text: text.replace(/\r\n(Date|X-Request-Id): [^\r]*/g, '') };
}

/** HTTP as bytes on a socket, for what no client library would send. */
import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/**
 * Sends the text (each character one byte) and answers all that comes back until the server or `done` ends the
 * connection.
 */
export function exchange(address: string, text: string, done?: (received: string) => boolean): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.from(text, 'latin1')));
    socket.setEncoding('latin1').setTimeout(10_000, () => socket.destroy(new Error(`no end after: ${received}`)));
    socket.on('data', (chunk: string) => {
      received += chunk;
      if (done?.(received)) socket.end();
    });
    socket.on('error', reject).on('close', () => resolve(received));
  });
}

/** Sends these lines as the head of one request, and reads its answer. */
export async function rawRequest(address: string, lines: string[]): Promise<RawAnswer> {
  const [answer] = parseAnswers(await exchange(address, `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`));
  if (!answer) throw new Error('no answer');
  return answer;
}

/** The answers in what a connection brought. Each has a Content-Length or, being the last, the rest as its body. */
export function parseAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = received; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...fields] = rest.slice(0, end).split('\r\n');
    const headers = new Map(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    );
    const length = Number(headers.get('content-length') ?? rest.length);
    answers.push({
      status: Number(first.split(' ')[1]),
      headers,
      body: rest.slice(end + 4, end + 4 + length),
    });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

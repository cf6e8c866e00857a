/** Bytes on a socket, for requests that no client would send. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** Everything that comes back until the connection ends. */
export async function rawResponse(address: string, text: string): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

const headers = (count: number): string => Array.from({ length: count }, (_, i) => `a${i}: b\r\n`).join('');
const get = (lines: string): string => `GET / HTTP/1.1\r\n${lines}\r\n`;

/** Malformed and oversized requests, and the status and code of their response. */
export const MALFORMED: [what: string, request: string, status: number, code: string][] = [
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'INVALID_PARAMETER'],
  ['no Host', get(''), 400, 'INVALID_PARAMETER'],
  ['a control character in a header', get('Host: a\r\nX: a\u0001b\r\n'), 400, 'INVALID_PARAMETER'],
  ['two lengths', get('Host: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n'), 400, 'INVALID_PARAMETER'],
  [
    'a length beside an encoding',
    get('Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n'),
    400,
    'INVALID_PARAMETER',
  ],
  ['headers over 64 KiB', get(`Host: a\r\nX: ${'a'.repeat(70_000)}\r\n`), 431, 'HEADERS_TOO_LARGE'],
  ['1,001 headers', get(`Host: a\r\n${headers(1_000)}`), 431, 'HEADERS_TOO_LARGE'],
  ['an unknown expectation', get('Host: a\r\nExpect: other\r\n'), 417, 'EXPECTATION_FAILED'],
];

/**
 * A closed-loop client in a separate process: keeps one request in flight on each of its connections. Receives rounds
 * over IPC, and sends the number of responses.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { atEnd } from './cleanup.ts';
import { benchRow } from './rows.ts';

const CONNECTIONS = 32;
const VISITORS = 20_000;
const AGENT = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1';

export interface Round {
  port: number;
  ms: number;
  /** every response must have this status, such as 200, or begin of a status, such as 30 */
  status: number;
  /** redirects of a website with this number of rules of rows.ts, by Zipf's law */
  website?: { host: string; rules: number };
  /** or these requests in turn */
  requests?: string[];
}

export interface RoundResult {
  answered: number;
  seconds: number;
  error?: string;
}

export interface Load {
  run(round: Round): Promise<RoundResult>;
  stop(): Promise<void>;
}

/** Starts the client. */
export function startLoad(): Load {
  const child = fork(import.meta.filename, { execArgv: [] });
  return {
    async run(round) {
      child.send(round);
      const [result] = (await once(child, 'message')) as [RoundResult];
      if (result.error !== undefined) throw new Error(result.error);
      return result;
    },
    stop: atEnd(() => void child.kill('SIGKILL')),
  };
}

/** A request of a visitor, with the address in `X-Forwarded-For`. */
export function visitorRequest(host: string, path: string, visitor: number): string {
  const number = (visitor * 7_919) % VISITORS;
  const address = `${20 + (number % 150)}.${number >> 8}.${number & 255}.7`;
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${AGENT}${visitor % 50}.0.0.0 Safari/537.36\r\nX-Forwarded-For: ${address}\r\nAccept: text/html\r\n\r\n`;
}

/**
 * Chooses a redirect by Zipf's law with exponent 1: a tenth of 1,000,000 redirects gets five sixths of the visits. Real
 * servers are more skewed (Arlitt and Williamson, 1996: nine tenths).
 */
function zipf(count: number): number {
  return (Math.floor(count ** Math.random()) * 7_919) % count;
}

function nextRequestOf({ website, requests = [] }: Round): () => string {
  let next = 0;
  if (!website) return () => requests[next++ % requests.length] ?? '';
  const { host, rules } = website;
  return () => visitorRequest(host, benchRow(zipf(rules)).oldPath, Math.floor(Math.random() * VISITORS));
}

async function runRound(round: Round): Promise<RoundResult> {
  const nextRequest = nextRequestOf(round);
  const start = performance.now();
  const end = start + round.ms;
  let answered = 0;
  const visit = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: round.port, noDelay: true });
      let text = '';
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the server closed a connection')));
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        const head = text.indexOf('\r\n\r\n');
        if (head < 0) return;
        if (text.length < head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)) return;
        if (!text.startsWith(`HTTP/1.1 ${round.status}`)) return reject(new Error(text.slice(0, 200)));
        text = '';
        answered++;
        if (performance.now() < end) return void socket.write(nextRequest());
        resolve();
        socket.destroy();
      });
      socket.write(nextRequest());
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, visit));
  return { answered, seconds: (performance.now() - start) / 1_000 };
}

if (process.argv[1] === import.meta.filename) {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (round: Round) => {
    runRound(round).then(
      (result) => process.send?.(result),
      (error: unknown) => process.send?.({ answered: 0, seconds: 0, error: String(error) } satisfies RoundResult),
    );
  });
}

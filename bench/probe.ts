/**
 * The probing client, in a separate process: every 10 ms one request to each target on a new connection, and one on a
 * kept-alive connection. Latency counts from the time at which a request is due, so a client or a server that falls
 * behind cannot hide it (no coordinated omission). Also used by test/soak/visitors-never-wait.test.ts and
 * test/soak/worst-neighbour.test.ts.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { quantile } from './statistics.ts';

const INTERVAL_MS = 10;
/** Kept-alive connections to a target, used in turn. A response of more than half a second delays the next request. */
const KEPT = 50;
/** A request without a response after this time counts with this time. */
const TIMEOUT_MS = 30_000;

export interface ProbeTarget {
  name: string;
  port: number;
  host: string;
  path: string;
  status: number;
  /** only on new connections */
  newOnly?: boolean;
  /** default: GET */
  method?: string;
  /** further lines of the head */
  headers?: string[];
  /** JSON; `{n}` becomes the number of the request */
  body?: string;
  /** a multiple of 10 ms, which is the default */
  everyMs?: number;
}

export interface Latency {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

/** The requests that were due in a phase, in milliseconds. */
export interface Phase {
  /** by target and kind of connection, such as `health, new` */
  latencies: Record<string, Latency>;
  /** responses with another status, and failed connections */
  wrong: string[];
  /** how late the client itself sent */
  client: Latency;
}

export interface Probe {
  /** Ends the current phase and begins the next one. Resolves when all its requests have a response. */
  endPhase(): Promise<Phase>;
  stop(): void;
}

/** Starts the client; resolves when it probes. */
export async function startProbe(targets: ProbeTarget[]): Promise<Probe> {
  const child = fork(import.meta.filename, [JSON.stringify(targets)], { execArgv: [] });
  try {
    // Waiting for a core is latency of the client, not of the service. Needs a privilege.
    if (child.pid !== undefined) setPriority(child.pid, -10);
  } catch {
    // The phases report how late the client sent.
  }
  await once(child, 'message');
  return {
    async endPhase() {
      const answer = once(child, 'message');
      child.send('end');
      const [phase] = (await answer) as [Phase];
      return phase;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

interface OpenPhase {
  samples: Map<string, number[]>;
  late: number[];
  wrong: string[];
  pending: number;
  onSettled?: () => void;
}

interface Request {
  dueAt: number;
  number: number;
  phase: OpenPhase;
}

const newPhase = (): OpenPhase => ({ samples: new Map(), late: [], wrong: [], pending: 0 });

function settle({ dueAt, phase }: Request, kind: string, problem?: string): void {
  const ms = performance.now() - dueAt;
  const list = phase.samples.get(kind) ?? [];
  phase.samples.set(kind, list);
  list.push(ms);
  if (problem !== undefined && phase.wrong.length < 20) phase.wrong.push(`${kind}: ${problem}`);
  if (--phase.pending === 0) phase.onSettled?.();
}

function textOf(
  { method = 'GET', host, path, headers = [], body }: ProbeTarget,
  connection: string,
  n: number,
): string {
  const text = body?.replaceAll('{n}', String(n)) ?? '';
  const content = body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`];
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, `Connection: ${connection}`, ...headers, ...content];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

/** Sends one request on a new connection. */
function sendNew(target: ProbeTarget, request: Request): void {
  const kind = `${target.name}, new`;
  const socket = connect({ host: '127.0.0.1', port: target.port, noDelay: true });
  let isSettled = false;
  const done = (problem?: string): void => {
    if (isSettled) return;
    isSettled = true;
    socket.destroy();
    settle(request, kind, problem);
  };
  socket.on('connect', () => socket.write(textOf(target, 'close', request.number)));
  socket.on('data', (chunk) => done(problemOf(chunk.toString('latin1'), target)));
  socket.on('error', (error) => done(error.message));
  socket.on('close', () => done('closed without a response'));
  socket.setTimeout(TIMEOUT_MS, () => done('timeout'));
}

function problemOf(response: string, { status }: ProbeTarget): string | undefined {
  return response.startsWith(`HTTP/1.1 ${status} `) ? undefined : response.slice(0, 40);
}

/** Sends requests over one kept-alive connection, in order. */
function keptConnection(target: ProbeTarget): (request: Request) => void {
  const kind = `${target.name}, kept`;
  let socket: Socket | undefined;
  let waiting: Request[] = [];
  const open = (): Socket => {
    let text = '';
    const opened = connect({ host: '127.0.0.1', port: target.port, noDelay: true });
    const end = (problem: string): void => {
      if (socket !== opened) return;
      socket = undefined;
      opened.destroy();
      for (const request of waiting) settle(request, kind, problem);
      waiting = [];
    };
    opened.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let head; (head = text.indexOf('\r\n\r\n')) >= 0;) {
        const length = head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
        if (text.length < length) return;
        const request = waiting.shift();
        if (request) settle(request, kind, problemOf(text, target));
        text = text.slice(length);
      }
    });
    opened.on('error', (error) => end(error.message));
    opened.on('close', () => end('closed'));
    opened.setTimeout(TIMEOUT_MS, () => end('timeout'));
    return opened;
  };
  return (request) => {
    socket ??= open();
    waiting.push(request);
    socket.write(textOf(target, 'keep-alive', request.number));
  };
}

function runClient(targets: ProbeTarget[]): void {
  let phase = newPhase();
  const kept = targets.map((target) => Array.from({ length: KEPT }, () => keptConnection(target)));
  const startedAt = performance.now();
  let tick = 0;
  const sendDue = (): void => {
    const now = performance.now();
    for (; startedAt + tick * INTERVAL_MS <= now; tick++) {
      const dueAt = startedAt + tick * INTERVAL_MS;
      phase.late.push(now - dueAt);
      for (const [index, target] of targets.entries()) {
        if ((tick * INTERVAL_MS) % (target.everyMs ?? INTERVAL_MS) !== 0) continue;
        const request = { dueAt, phase, number: tick };
        phase.pending += target.newOnly ? 1 : 2;
        sendNew(target, request);
        if (!target.newOnly) kept[index]?.[tick % KEPT]?.(request);
      }
    }
    setTimeout(sendDue, Math.max(0, startedAt + tick * INTERVAL_MS - performance.now()));
  };
  process.on('message', () => {
    const ended = phase;
    phase = newPhase();
    const send = (): void => void process.send?.(summaryOf(ended));
    if (ended.pending === 0) send();
    else ended.onSettled = send;
  });
  process.on('disconnect', () => process.exit(0));
  sendDue();
  // The first second opens the kept-alive connections; it is no phase.
  setTimeout(() => {
    phase = newPhase();
    process.send?.('ready');
  }, 1_000);
}

function summaryOf({ samples, wrong, late }: OpenPhase): Phase {
  const latencies = Object.fromEntries([...samples].map(([kind, values]) => [kind, latencyOf(values)]));
  return { latencies, wrong, client: latencyOf(late) };
}

function latencyOf(values: number[]): Latency {
  const max = values.reduce((most, value) => Math.max(most, value), 0);
  return { count: values.length, p50: quantile(values, 0.5), p99: quantile(values, 0.99), max };
}

if (process.argv[1] === import.meta.filename) runClient(JSON.parse(process.argv[2] ?? '[]') as ProbeTarget[]);

/** One request of a check: a vetted connection, a deadline, and a body of limited size. */
import { type Duplex, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, request } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { createKeyedSemaphore } from '../../platform/scheduling/semaphore.ts';
import { type Resolve, resolveHost } from '../../platform/network/dns.ts';
import type { Egress } from '../../platform/network/egress.ts';
import { ConnectFailure, vettedConnect } from '../../platform/network/vetted-connect.ts';
import { retryAfterSeconds } from '../../webhooks/sending/retry-schedule.ts';

const TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 64 * 1024;
/** Unpacked bytes of a body; the rest is not read. */
const MAX_BODY_BYTES = 512 * 1024;
const UNPACK = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
/** Reasons of ConnectFailure that have another name in results. */
const RENAMED: Partial<Record<string, string>> = { address: 'address_not_allowed', connect: 'refused' };

/** A probe without a status. `reason` is a reason of results, such as `dns`. */
export class ProbeFailure extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'ProbeFailure';
    this.reason = reason;
  }
}

/** The host asked for a longer wait than a check does, which ends in `seconds`. */
export class BlockedFor extends ProbeFailure {
  readonly seconds: number;

  constructor(seconds: number) {
    super('retry_after');
    this.seconds = seconds;
  }
}

export interface Answer<Content> {
  status: number;
  /** the header, its bytes read as UTF-8 */
  location: string | null;
  /** of a 429 or 503: 1 second to 24 hours */
  retryAfterSeconds: number | null;
  /** the result of `read`; null if the status is not 2xx, or the body ended with an error or too late */
  content: Content | null;
}

/** Reads the unpacked body of a response, which ends after 512 KiB. */
export type ReadBody<Content> = (body: AsyncIterable<Buffer>, contentType: string, url: URL) => Promise<Content>;

interface Question<Content> {
  method: 'HEAD' | 'GET';
  url: URL;
  headers: Record<string, string>;
  read: ReadBody<Content> | undefined;
}

export interface ClientOptions {
  /** of every connection; CHECK_EGRESS */
  egress: Egress;
  /** `Detour-Check/<version> (+PUBLIC_URL)` */
  userAgent: string;
  clock: Clock;
  /** Replaces DNS, the ports that every host may have, and the time of a request with its body. */
  network?: { resolve?: Resolve; ports?: readonly number[]; timeoutMs?: number };
}

export type Client = ReturnType<typeof createClient>;

/** Bounds the memory of all bodies of the process. */
const inReading = createKeyedSemaphore<'body'>(128);

/** Creates the client of one probe, which disposes it. Keeps its connections, and no cookies. */
export function createClient({ egress, clock, userAgent, network = {} }: ClientOptions) {
  const { resolve = resolveHost, ports = [80, 443], timeoutMs = TIMEOUT_MS } = network;
  const agent = new Agent({
    connect: vettedConnect(egress, resolve, timeoutMs),
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // undici restarts its timeouts with each byte; the deadline of the request does not.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const waitOf = (header: string | string[] | undefined) => retryAfterSeconds(header, clock.now());
  return {
    /** Follows no redirect. Throws a ProbeFailure if no status arrives in time. */
    send: <T>(question: Question<T>, signal: AbortSignal): Promise<Answer<T>> =>
      question.read ? inReading('body', () => send(question, signal)) : send(question, signal),
    ports,
    [Symbol.asyncDispose]: (): Promise<void> => agent.destroy(),
  };

  async function send<T>({ method, url, headers, read }: Question<T>, signal: AbortSignal): Promise<Answer<T>> {
    const controller = new AbortController();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason));
    aborted.catch(() => undefined);
    const timer = setTimeout(() => controller.abort(new ProbeFailure('timeout')), timeoutMs);
    const interrupt = (): void => controller.abort(new ProbeFailure('interrupted'));
    signal.addEventListener('abort', interrupt);
    const sent = { accept: '*/*', 'accept-encoding': 'gzip, deflate, br', ...headers, 'user-agent': userAgent };
    try {
      if (signal.aborted) interrupt();
      // undici observes its signal only once there is a connection, which a host can delay.
      const response = request(url.href, { method, headers: sent, dispatcher: agent, signal: controller.signal });
      const { statusCode: status, headers: received, body } = await Promise.race([aborted, response]);
      body.on('error', () => undefined);
      const isOk = status >= 200 && status < 300;
      const unpacked = read && isOk ? unpack(body, textOf(received['content-encoding'])) : undefined;
      const content = unpacked && read?.(limited(unpacked), textOf(received['content-type']) ?? '', url);
      const answer = {
        status,
        location: textOf(received.location),
        retryAfterSeconds: status === 429 || status === 503 ? waitOf(received['retry-after']) : null,
        content: content ? await Promise.race([aborted, content]).catch(() => null) : null,
      };
      body.destroy();
      return answer;
    } catch (error) {
      if (error instanceof ProbeFailure) throw error;
      throw new ProbeFailure(error instanceof ConnectFailure ? (RENAMED[error.reason] ?? error.reason) : 'reset');
    } finally {
      // A timer that is left would retain the response until it fires.
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
    }
  }
}

/** Undefined for an unknown encoding. */
function unpack(body: Readable, encoding: string | null): AsyncIterable<Buffer> | undefined {
  if (encoding === null || encoding === 'identity') return body;
  const decoder = UNPACK.get(encoding.trim().toLowerCase())?.();
  return decoder && pipeline(body, decoder, () => undefined);
}

async function* limited(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = MAX_BODY_BYTES;
  for await (const chunk of body) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/** undici decodes headers as latin1; browsers read a Location as UTF-8. */
function textOf(header: string | string[] | undefined): string | null {
  const [first] = [header].flat();
  return first === undefined ? null : Buffer.from(first, 'latin1').toString('utf8');
}

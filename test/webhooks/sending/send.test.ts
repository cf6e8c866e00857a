/** Holds the rules of src/webhooks/sending/read-body-excerpt.ts and outcome.ts. */
import { afterEach, describe, expect, test } from 'vitest';
import { createSender, type Sender, type SenderOptions } from '../../../src/webhooks/sending/send.ts';
import { hang, startReceiver, type Receiver, type ReceiverOptions } from '../../support/receiver.ts';
import { until } from '../../support/wait.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function receiver(options?: ReceiverOptions): Promise<Receiver> {
  const opened = await startReceiver(options);
  closers.push(() => opened.stop());
  return opened;
}

function sender(options: Partial<SenderOptions> = {}): Sender {
  const opened = createSender({ egress: 'private', timeoutMs: 5_000, ...options });
  closers.push(() => opened.close());
  return opened;
}

const unending = new AbortController().signal;
const delivery = (url: string, body = '{"event":"redirect.created"}') => ({
  url,
  headers: { 'content-type': 'application/json', 'x-service-event': 'redirect.created' },
  body,
});

describe('what is sent', () => {
  test('is a POST with the headers and the exact bytes of the body, UTF-8 and U+2028 included', async () => {
    const { url, requests } = await receiver();
    const body = '{"old_path":"/größe/日本語/🙂","notes":"a\u2028b","escaped":"\\u0061"}';
    const outcome = await sender().send(delivery(`${url}?a=1&b=%20`, body), unending);
    expect(outcome).toMatchObject({ outcome: 'delivered', status: 200, error: null, responseBody: 'ok' });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/hook?a=1&b=%20', body });
    expect(requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'redirect.created',
      'content-length': String(Buffer.byteLength(body)),
    });
    expect(requests[0]?.headers).not.toHaveProperty('transfer-encoding');
  });

  test('reuses connections', async () => {
    const ports = new Set<number | undefined>();
    const { url } = await receiver({
      reply: (response) => {
        ports.add(response.socket?.remotePort);
        response.end('ok');
      },
    });
    const { send } = sender();
    for (let i = 0; i < 20; i++) await send(delivery(url), unending);
    // The next one may begin before the last byte of an answer has been seen.
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

/** [status, outcome] */
const statuses: [number, string][] = [
  ...[200, 201, 202, 204, 206, 226, 299].map((status): [number, string] => [status, 'delivered']),
  ...[300, 301, 302, 303, 304, 305, 307, 308, 399].map((status): [number, string] => [status, 'redirect']),
  ...[400, 401, 403, 404, 405, 408, 418, 422, 451, 499].map((status): [number, string] => [status, 'refused']),
  [410, 'gone'],
  [429, 'throttled'],
  ...[500, 501, 502, 503, 504, 599, 600, 999].map((status): [number, string] => [status, 'receiver_error']),
];

test.each(statuses)('status %i is %s', async (status, outcome) => {
  const { url } = await receiver({ reply: status });
  const answer = await sender().send(delivery(url), unending);
  expect(answer).toMatchObject({ outcome, status, retryAfterSeconds: null });
  if (outcome === 'delivered') expect(answer.error).toBeNull();
  else expect(answer.error).toContain(`responded with ${status}`);
});

test.each([301, 302, 303, 307, 308])('a %i is not followed', async (status) => {
  const elsewhere = await receiver();
  const { url, requests } = await receiver({
    reply: (response) => response.writeHead(status, { location: elsewhere.url }).end(),
  });
  expect((await sender().send(delivery(url), unending)).outcome).toBe('redirect');
  expect(requests).toHaveLength(1);
  expect(elsewhere.requests).toHaveLength(0);
});

describe('Retry-After', () => {
  const now = new Date('2026-11-21T10:00:00Z');
  const clock = { now: () => now };

  async function answered(status: number, header: string | string[]) {
    const { url } = await receiver({
      reply: (response) => response.setHeader('retry-after', header).writeHead(status).end(),
    });
    return await sender({ clock }).send(delivery(url), unending);
  }

  test.each([
    ['120', 120],
    ['1', 1],
    [' 5 ', 5],
    ['86400', 86_400],
    ['86401', 86_400],
    ['99999999999999999999', 86_400],
    ['Sat, 21 Nov 2026 10:02:00 GMT', 120],
    ['Saturday, 21-Nov-26 10:02:00 GMT', 120],
    ['Sat Nov 21 10:02:00 2026', 120],
    ['Sun, 21 Nov 2027 10:00:00 GMT', 86_400],
  ])('%j requests %i seconds', async (header, seconds) => {
    expect(await answered(429, header)).toMatchObject({ outcome: 'throttled', retryAfterSeconds: seconds });
    expect(await answered(503, header)).toMatchObject({ outcome: 'throttled', retryAfterSeconds: seconds });
  });

  test.each([
    ...['0', '-1', '1.5', '1e3', '0x10', '1 month', 'soon', '', '5, 6', '5;q=1', 'Infinity', '2026-11-21T10:02:00Z'],
    ...['Sat, 21 Nov 2026 09:59:59 GMT', 'Sat, 21 Nov 2026 10:02:00 +0100', 'Sat, 32 Nov 2026 10:02:00 GMT'],
  ])('%j is ignored', async (header) => {
    expect(await answered(429, header)).toMatchObject({ outcome: 'throttled', retryAfterSeconds: null });
    expect(await answered(503, header)).toMatchObject({ outcome: 'receiver_error', retryAfterSeconds: null });
  });

  test('two of them are ignored', async () => {
    expect(await answered(429, ['5', '6'])).toMatchObject({ retryAfterSeconds: null });
  });

  test.each([200, 302, 404, 500])('on a %i it is ignored', async (status) => {
    expect(await answered(status, '60')).toMatchObject({ status, retryAfterSeconds: null });
  });
});

describe('the response body', () => {
  const answerOf = async (body: Buffer | string, headers: Record<string, string> = {}): Promise<string | null> => {
    const { url } = await receiver({ reply: (response) => response.writeHead(500, headers).end(body) });
    return (await sender().send(delivery(url), unending)).responseBody;
  };

  test('is stored as text', async () => {
    expect(await answerOf('größer als 🙂')).toBe('größer als 🙂');
  });

  test('is null if empty', async () => {
    expect(await answerOf('')).toBeNull();
  });

  test('is truncated at 4 KiB, never within a character', async () => {
    expect(await answerOf('a'.repeat(5_000))).toBe('a'.repeat(4_096));
    expect(await answerOf(`${'a'.repeat(4_094)}🙂 and more`)).toBe('a'.repeat(4_094));
    expect(await answerOf(`${'a'.repeat(4_092)}🙂 and more`)).toBe(`${'a'.repeat(4_092)}🙂`);
  });

  test('contains only text that PostgreSQL can store', async () => {
    expect(await answerOf('a\u0000b')).toBe('a\ufffdb');
    const odd = await answerOf(Buffer.from([0x61, 0xff, 0xfe, 0xed, 0xa0, 0x80, 0xc0, 0x80, 0x62]));
    expect(odd).toMatch(/^a\ufffd+b$/);
    expect(odd?.isWellFormed()).toBe(true);
  });

  test('is null if compressed, and never decompressed', async () => {
    expect(await answerOf(Buffer.from([0x1f, 0x8b, 8, 0]), { 'content-encoding': 'gzip' })).toBeNull();
  });
});

describe('no response', () => {
  test('within the timeout is a timeout', async () => {
    const { url, requests, inFlight } = await receiver({ reply: hang });
    const answer = await sender({ timeoutMs: 300 }).send(delivery(url), unending);
    expect(answer).toMatchObject({ outcome: 'timeout', status: null, error: 'no status within 0.3 s' });
    expect(answer.durationMs).toBeGreaterThanOrEqual(299);
    expect(answer.durationMs).toBeLessThan(1_300);
    expect(requests).toHaveLength(1);
    await until(() => Promise.resolve(inFlight() === 0));
  });

  test('from a closed port is connect', async () => {
    const { url, stop } = await startReceiver();
    await stop();
    expect(await sender().send(delivery(url), unending)).toMatchObject({
      outcome: 'connect',
      status: null,
      error: 'no connection (ECONNREFUSED)',
    });
  });

  test('because the connection closed is reset', async () => {
    const { url } = await receiver({ reply: (response) => response.socket?.resetAndDestroy() });
    expect(await sender().send(delivery(url), unending)).toMatchObject({ outcome: 'reset', status: null });
  });

  test('from a name that does not resolve is dns', async () => {
    const answer = await sender().send(delivery('http://unknown.invalid/'), unending);
    expect(answer).toMatchObject({ outcome: 'dns', status: null });
    expect(answer.error).toMatch(/^unknown\.invalid could not be resolved \(E/);
  });

  test('from a name server that hangs is a timeout, and does not delay other receivers', async () => {
    const { url } = await receiver();
    const resolve = (host: string) =>
      host === 'localhost' ? Promise.resolve(['127.0.0.1']) : new Promise<string[]>(() => undefined);
    const { send } = sender({ timeoutMs: 1_000, resolve });
    const slow = Array.from({ length: 50 }, (_, i) => send(delivery(`http://slow${i}.example/`), unending));
    const began = performance.now();
    const good = await send(delivery(url.replace('127.0.0.1', 'localhost')), unending);
    expect(good.outcome).toBe('delivered');
    expect(performance.now() - began).toBeLessThan(900);
    expect((await Promise.all(slow)).map(({ outcome }) => outcome)).toEqual(Array(50).fill('timeout'));
  });
});

describe('a stop', () => {
  test('ends an attempt in flight as interrupted', async () => {
    const { url, got } = await receiver({ reply: hang });
    const stop = new AbortController();
    const attempt = sender().send(delivery(url), stop.signal);
    await got(1);
    stop.abort();
    expect(await attempt).toMatchObject({ outcome: 'interrupted', status: null });
  });

  test('before the start sends nothing', async () => {
    const { url, requests } = await receiver();
    const answer = await sender().send(delivery(url), AbortSignal.abort());
    expect(answer.outcome).toBe('interrupted');
    expect(requests).toHaveLength(0);
  });

  test('while connecting ends the attempt immediately', async () => {
    const stop = new AbortController();
    const resolve = () => new Promise<string[]>(() => undefined);
    const attempt = sender({ resolve }).send(delivery('http://slow.example/'), stop.signal);
    stop.abort();
    const answer = await attempt;
    expect(answer.outcome).toBe('interrupted');
    expect(answer.durationMs).toBeLessThan(1_000);
  });

  test('after the status changes nothing', async () => {
    const stop = new AbortController();
    const { url } = await receiver({ reply: (response) => response.writeHead(200).write('begun') });
    const attempt = sender({ bodyMs: 200 }).send(delivery(url), stop.signal);
    const answer = await attempt;
    stop.abort();
    expect(answer).toMatchObject({ outcome: 'delivered', status: 200, responseBody: 'begun' });
  });
});

test('a request that hangs does not delay others to the same origin', async () => {
  const { url, release, reply, got } = await receiver({ reply: hang });
  const { send } = sender();
  const hanging = Array.from({ length: 40 }, () => send(delivery(url), unending));
  await got(40);
  reply(200);
  const quick = await Promise.all(Array.from({ length: 40 }, () => send(delivery(url), unending)));
  expect(quick.map(({ outcome }) => outcome)).toEqual(Array(40).fill('delivered'));
  release();
  expect((await Promise.all(hanging)).map(({ outcome }) => outcome)).toEqual(Array(40).fill('delivered'));
});

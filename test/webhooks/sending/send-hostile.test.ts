/** Hostile receivers: each attempt ends in time, with the documented outcome, and takes little memory. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createSender } from '../../../src/webhooks/sending/send.ts';
import { drip, pour, startRawReceiver } from '../../support/receiver.ts';
import { until } from '../../support/wait.ts';

const TIMEOUT_MS = 600;
const BODY_MS = 200;
/** Tolerance for a busy machine. */
const SLACK_MS = 1_000;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A sender, and a receiver that calls `onRequest` for each connection. */
async function against(act: (socket: Socket) => void, timeoutMs = TIMEOUT_MS, bodyMs = BODY_MS) {
  const receiver = await startRawReceiver(act);
  const sender = createSender({ egress: 'private', timeoutMs, bodyMs });
  closers.push(
    () => receiver.stop(),
    () => sender.close(),
  );
  const { signal } = new AbortController();
  return {
    receiver,
    attempt: () => sender.send({ url: receiver.url, headers: {}, body: '{}' }, signal),
    /** every connection that was made is gone again, without the sender being closed */
    gone: () => until(() => Promise.resolve(receiver.sockets.every(({ destroyed }) => destroyed))),
  };
}

const OK = 'HTTP/1.1 200 OK\r\n';

describe('before there is a status', () => {
  test('a receiver that accepts and sends nothing is a timeout', async () => {
    const { attempt, gone } = await against(() => undefined);
    const answer = await attempt();
    expect(answer).toMatchObject({ outcome: 'timeout', status: null });
    expect(answer.durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    await gone();
  });

  test.each([
    ['of the status line', 'HTTP/1.1 200 OK'],
    ['of a header', `${OK}X-Slow: `],
    ['of one header after the other', OK],
  ])('a drip %s is a timeout', async (what, first) => {
    let count = 0;
    const { attempt, gone } = await against((socket) => {
      let sent = 0;
      const piece = (): string => {
        count += 1;
        if (what === 'of the status line') return first[sent++] ?? '';
        return what === 'of a header' ? 'a' : `X-${count}: ${count}\r\n`;
      };
      if (what !== 'of the status line') socket.write(first);
      drip(socket, piece, 30);
    });
    const answer = await attempt();
    expect(answer).toMatchObject({ outcome: 'timeout', status: null });
    expect(answer.durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    expect(count).toBeGreaterThan(5);
    await gone();
  });

  test('endless headers are reset after 16 KiB', async () => {
    const { attempt, receiver, gone } = await against((socket) => {
      socket.write(OK);
      pour(socket, () => `X-Filler: ${'a'.repeat(1_000)}\r\n`);
    }, 5_000);
    const answer = await attempt();
    expect(answer).toMatchObject({
      outcome: 'reset',
      status: null,
      error: 'the response headers have more than 16 KiB (UND_ERR_HEADERS_OVERFLOW)',
    });
    await gone();
    expect(receiver.sockets[0]?.bytesWritten).toBeLessThan(20_000_000);
  });

  test('one endless header is reset', async () => {
    const { attempt } = await against((socket) => {
      socket.write(`${OK}X-Long: `);
      pour(socket, () => 'a'.repeat(10_000));
    }, 5_000);
    expect(await attempt()).toMatchObject({ outcome: 'reset', status: null });
  });

  test('a flood of 1xx responses is reset after 50', async () => {
    const { attempt, gone } = await against((socket) => {
      pour(socket, () => 'HTTP/1.1 102 Processing\r\nX-Filler: abc\r\n\r\n');
    }, 5_000);
    const answer = await attempt();
    expect(answer).toMatchObject({ outcome: 'reset', error: 'more than 50 interim responses (1xx)' });
    expect(answer.durationMs).toBeLessThan(5_000);
    await gone();
  });

  test('fifty 1xx responses before the final one are accepted', async () => {
    const { attempt } = await against((socket) => {
      socket.write(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)}${OK}Content-Length: 2\r\n\r\nok`);
    });
    expect(await attempt()).toMatchObject({ outcome: 'delivered', status: 200, responseBody: 'ok' });
  });

  test('a drip of 1xx responses is a timeout', async () => {
    const { attempt } = await against((socket) => drip(socket, () => 'HTTP/1.1 102 Processing\r\n\r\n', 50));
    expect(await attempt()).toMatchObject({ outcome: 'timeout', status: null });
  });

  test.each([
    ['what is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['HTTP with a broken status line', 'HTTP/1.1 abc\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 Odd\r\n\r\n'],
    ['a switch to another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
    ['a header with a NUL', `${OK}X-Bad: a\u0000b\r\n\r\n`],
    ['two lengths that differ', `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`],
    ['bytes without a meaning', Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7919) % 251))],
  ])('%s is reset', async (_what, bytes) => {
    const { attempt, gone } = await against((socket) => void socket.end(bytes));
    expect(await attempt()).toMatchObject({ outcome: 'reset', status: null });
    await gone();
  });

  test.each([
    ['politely', (socket: Socket) => void socket.end()],
    ['with a reset', (socket: Socket) => void socket.resetAndDestroy()],
    ['amid the headers', (socket: Socket) => void socket.end(`${OK}X-Half: `)],
  ])('a connection that is closed %s is reset', async (_how, act) => {
    const { attempt } = await against(act);
    expect(await attempt()).toMatchObject({ outcome: 'reset', status: null });
  });
});

describe('after a 2xx status the delivery is delivered', () => {
  async function delivered(act: (socket: Socket) => void) {
    const { attempt, receiver, gone } = await against((socket) => {
      socket.write(OK);
      act(socket);
    }, 5_000);
    const began = performance.now();
    const answer = await attempt();
    const took = performance.now() - began;
    expect(answer).toMatchObject({ outcome: 'delivered', status: 200, error: null });
    expect(took).toBeLessThan(BODY_MS + SLACK_MS);
    await gone();
    return { answer, wrote: receiver.sockets[0]?.bytesWritten ?? 0 };
  }

  test('when the body never comes', async () => {
    const { answer } = await delivered((socket) => socket.write('Content-Length: 10\r\n\r\n'));
    expect(answer.responseBody).toBeNull();
  });

  test('when the body drips', async () => {
    const { answer } = await delivered((socket) => {
      socket.write('\r\n');
      drip(socket, () => 'x', 20);
    });
    expect(answer.responseBody).toMatch(/^x+$/);
  });

  test.each([
    ['with a length', 'Content-Length: 99999999999\r\n\r\n', 'x'.repeat(10_000)],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n', `2710\r\n${'x'.repeat(10_000)}\r\n`],
    ['until the end of the connection', '\r\n', 'x'.repeat(10_000)],
  ])('when the body is endless, %s; little of it is read', async (_how, headers, piece) => {
    let poured = 0;
    const { answer } = await delivered((socket) => {
      socket.write(headers);
      pour(socket, () => {
        poured += piece.length;
        return piece;
      });
    });
    expect(answer.responseBody).toBe('x'.repeat(4_096));
    // Includes what the socket buffers of both sides hold.
    expect(poured).toBeLessThan(20_000_000);
  });

  test('when the body is a gzip bomb, which is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const { answer } = await delivered((socket) => {
      socket.write(`Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\nConnection: close\r\n\r\n`);
      socket.end(bomb);
    });
    expect(answer.responseBody).toBeNull();
  });

  test('when the connection closes within the body', async () => {
    const { answer } = await delivered((socket) => {
      socket.write('Content-Length: 10\r\n\r\nhalf', () => setImmediate(() => socket.resetAndDestroy()));
    });
    expect([null, 'half']).toContain(answer.responseBody);
  });

  test('when the chunks of the body are malformed', async () => {
    await delivered((socket) => void socket.end('Transfer-Encoding: chunked\r\n\r\nzz\r\nnonsense'));
  });
});

test('unsolicited data on a kept connection is not a response to the next attempt', async () => {
  const { attempt, receiver } = await against((socket) => {
    socket.write(`${OK}Content-Length: 2\r\n\r\nokHTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n`);
  });
  expect((await attempt()).outcome).toBe('delivered');
  expect((await attempt()).outcome).toBe('delivered');
  expect(receiver.sockets).toHaveLength(2);
});

test('200 endless concurrent responses are closed after 16 KiB, before their timeout, and take less than 0.5 MB each', async () => {
  const piece = Buffer.alloc(16_384, 'x');
  const timeMs = 10_000;
  const { attempt, gone, receiver } = await against(
    (socket) => {
      socket.write(`${OK}\r\n`);
      pour(socket, () => piece);
    },
    timeMs,
    timeMs,
  );
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: 200 }, attempt));
  const took = performance.now() - began;
  clearInterval(watch);
  expect(answers.map(({ outcome }) => outcome)).toEqual(Array(200).fill('delivered'));
  expect(took).toBeLessThan(timeMs / 2);
  expect(receiver.sockets).toHaveLength(200);
  await gone();
  // Both sides of all sockets are in this process, and what is garbage already counts too.
  expect(most - before).toBeLessThan(100_000_000);
});

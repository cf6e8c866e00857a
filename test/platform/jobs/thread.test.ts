/** Holds the rules of src/platform/jobs/flow.ts, protocol.ts and serve.ts. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createJobThread, ThreadEndedError } from '../../../src/platform/jobs/thread.ts';
import { DomainError } from '../../../src/vocabulary/error.ts';

const errors: unknown[] = [];
const started: { close(): Promise<void> }[] = [];

function startThread(heapMb = 64) {
  const entry = new URL('./worker.ts', import.meta.url);
  const thread = createJobThread({ name: 'test', entry, workerData: {}, heapMb, onError: (e) => errors.push(e) });
  started.push(thread);
  return thread;
}

afterEach(async () => {
  errors.length = 0;
  for (const thread of started.splice(0)) await thread.close();
});

/** From below the size that goes through shared memory to several parts. */
const sizeOfLarge = (index: number): number => 1_000 + (index % 30) * 30_000;

async function* parts(count: number, size: number) {
  // Views of one buffer, as Node's HTTP parser hands out.
  const memory = Buffer.alloc(size * 2);
  for (let i = 0; i < count; i++) yield memory.subarray(size / 2, size / 2 + size);
}

test('a body reaches the job whole, and the memory of the caller stays usable', async () => {
  expect(await startThread().run('count', null, parts(100, 4_096))).toBe(409_600);
});

test('a job without a body sees an empty one', async () => {
  expect(await startThread().run('count', null)).toBe(0);
});

test('a job that ends early ends, although its body never does', async () => {
  async function* endless() {
    yield Buffer.from('begin');
    await new Promise(() => {});
  }
  expect(await startThread().run('first', null, endless())).toBe('begin');
});

test('the error of a body is the error of the job', async () => {
  const broken = new Error('the client left');
  async function* body() {
    yield Buffer.from('x');
    throw broken;
  }
  await expect(startThread().run('count', null, body())).rejects.toBe(broken);
});

test('a stream arrives in order', async () => {
  let text = '';
  for await (const chunk of startThread().stream('upTo', 1_000)) text += chunk.toString();
  expect(text).toBe(Array.from({ length: 1_000 }, (_, i) => `${i}\n`).join(''));
});

test('large chunks arrive in parts, unchanged while the reader may still use them', async () => {
  const received = createHash('sha256');
  let before: Record<'part' | 'copy', Buffer> | undefined;
  for await (const part of startThread().stream('large', 300)) {
    // The part before is still intact when this one has arrived.
    if (before) expect(before.part.equals(before.copy)).toBe(true);
    before = { part, copy: Buffer.from(part) };
    received.update(part);
  }
  const expected = createHash('sha256');
  for (let i = 0; i < 300; i++) expected.update(Buffer.alloc(sizeOfLarge(i), i % 251));
  expect(received.digest('hex')).toBe(expected.digest('hex'));
});

test('large parts of a body arrive unchanged', async () => {
  async function* body() {
    for (let i = 0; i < 100; i++) yield Buffer.alloc(sizeOfLarge(i), i % 251);
  }
  const expected = createHash('sha256');
  for await (const part of body()) expected.update(part);
  expect(await startThread().run('hash', null, body())).toBe(expected.digest('hex'));
});

test('a job waits for a reader that pauses, and a reader that leaves cancels it', async () => {
  const thread = startThread();
  const chunks = thread.stream('upTo', 1_000_000);
  await chunks.next();
  await pause(100);
  const { sent } = await thread.run<{ sent: number }>('state', null);
  expect(sent).toBeLessThan(100);
  await chunks.return(undefined);
  await expect.poll(() => thread.run('state', null)).toMatchObject({ cancelled: 1 });
});

test('a domain error keeps its class, code, issues and invalid entries', async () => {
  const thread = startThread();
  const error: unknown = await thread.run('refuse', null).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(DomainError);
  expect(error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: 'old_path' }] });
  await expect(thread.run('refuseEntries', null)).rejects.toMatchObject({ extra: { errors: [{ index: 3 }] } });
});

test('any other error keeps its code and its cause', async () => {
  const failed = startThread().run('systemError', null);
  await expect(failed).rejects.toMatchObject({ message: 'lost', code: '57P01', cause: { code: 'ECONNRESET' } });
});

test('if the thread exits, every job in progress fails, and the next job has a new thread', async () => {
  const thread = startThread();
  const waiting = thread.run('wait', 10_000);
  const streaming = thread.stream('upTo', 1_000_000);
  await streaming.next();
  await expect(thread.run('exit', null)).rejects.toBeInstanceOf(ThreadEndedError);
  await expect(waiting).rejects.toBeInstanceOf(ThreadEndedError);
  await expect(
    (async () => {
      for await (const chunk of streaming) void chunk;
    })(),
  ).rejects.toBeInstanceOf(ThreadEndedError);
  expect(errors).toHaveLength(1);
  expect(await thread.run('wait', 1)).toBe('waited');
});

test('a job above the memory limit ends its thread and not the process', async () => {
  const thread = startThread(32);
  await expect(thread.run('fillMemory', null)).rejects.toThrow(ThreadEndedError);
  expect(await thread.run('wait', 1)).toBe('waited');
});

test('closing fails the jobs in progress and all later ones', async () => {
  const thread = startThread();
  const waiting = thread.run('wait', 10_000);
  waiting.catch(() => {});
  await thread.close();
  await expect(waiting).rejects.toBeInstanceOf(ThreadEndedError);
  await expect(thread.run('wait', 1)).rejects.toBeInstanceOf(ThreadEndedError);
  expect(errors).toEqual([]);
});

import { expect, test } from 'vitest';
import type { Finished } from '../../../src/webhooks/sending/result.ts';
import { createFinishBuffer } from '../../../src/webhooks/queue/finish-buffer.ts';

function finished(id: number): Finished {
  return {
    claimed: {
      id,
      channel: 'webhook',
      message: null,
      webhookId: 'wh_1',
      eventId: 'e',
      event: 'redirect.created',
      kind: 'event',
      attemptNo: 1,
      failures: 0,
      ageMs: 0,
      body: '{}',
      url: 'http://127.0.0.1/',
      secret: Buffer.of(),
      previousSecret: null,
      signWith: 'current',
      isFailing: false,
      claimedAt: new Date('2030-05-15T12:00:00Z'),
    },
    attempts: [],
    state: 'delivered',
    dueAt: null,
    failures: 0,
    status: 200,
    error: null,
    verdict: 'success',
    pausedUntil: null,
    signWith: null,
  };
}

const idsOf = (batch: Finished[]): number[] => batch.map(({ claimed }) => claimed.id);

/** A database that accepts a batch unless `refusal` returns an error. */
function writer(refusal: (batch: number[]) => Error | undefined) {
  const written: number[][] = [];
  const errors: unknown[] = [];
  const buffer = createFinishBuffer(
    async (batch) => {
      const error = refusal(idsOf(batch));
      if (error) throw error;
      written.push(idsOf(batch));
    },
    (error) => errors.push(error),
  );
  return { buffer, written, errors };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test('concurrent outcomes are written together, in order, without waiting for a full batch', async () => {
  const { buffer, written } = writer(() => undefined);
  await Promise.all(range(10).map((id) => buffer.add(finished(id))));
  expect(written).toEqual([range(10)]);
  await Promise.all(range(600).map((id) => buffer.add(finished(id))));
  expect(written.slice(1).flat()).toEqual(range(600));
  expect(Math.max(...written.map((batch) => batch.length))).toBe(256);
});

test('during a database outage nothing is lost and the buffer is stuck; afterwards everything is written once', async () => {
  let away = 3;
  const { buffer, written, errors } = writer(() => (away-- > 0 ? new Error('connection refused') : undefined));
  const adding = Promise.all(range(5).map((id) => buffer.add(finished(id))));
  await expect.poll(() => buffer.isStuck()).toBe(true);
  await adding;
  expect(buffer.isStuck()).toBe(false);
  expect(written).toEqual([range(5)]);
  expect(errors).toHaveLength(3);
});

test('an outcome that can never be written is reported and skipped, and the other 99 are written', async () => {
  const poison = Object.assign(new Error('value out of range'), { code: '22003' });
  const { buffer, written, errors } = writer((ids) => (ids.includes(37) ? poison : undefined));
  await Promise.all(range(100).map((id) => buffer.add(finished(id))));
  expect(written.flat()).toEqual(range(100).filter((id) => id !== 37));
  expect(errors.length).toBeGreaterThan(0);
  expect(buffer.isStuck()).toBe(false);
});

test('closing abandons the rest after its timeout', async () => {
  const { buffer } = writer(() => new Error('connection refused'));
  const adding = buffer.add(finished(1));
  await buffer.close(50);
  await adding;
  expect(buffer.isStuck()).toBe(true);
});

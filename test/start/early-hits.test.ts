import { expect, test } from 'vitest';
import { createEarlyHits } from '../../src/start/early-hits.ts';
import type { Request } from '../../src/hits/count/request-batch.ts';

const request = (websiteId: number) => ({ websiteId }) as Request;

test('requests are retained until there is a recorder, which gets them in order and then all later ones', () => {
  const early = createEarlyHits();
  const [first, second, third] = [request(1), request(2), request(3)];
  const recorded: unknown[] = [];
  early.record(first);
  early.record(second);
  expect(early.retained()).toBe(2);
  expect(early.passTo({ record: (hit) => void recorded.push(hit) })).toBe(0);
  early.record(third);
  expect(recorded).toEqual([first, second, third]);
  expect(early.retained()).toBe(0);
});

test('at most 100,000 requests are retained, and the others are counted as lost', () => {
  const early = createEarlyHits();
  for (let n = 0; n < 100_007; n++) early.record(request(n));
  expect([early.retained(), early.passTo({ record: () => {} })]).toEqual([100_000, 7]);
});

/** Which requests are hits. */
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createOutcomeCounter } from '../../../src/surfaces/edge/count-outcomes.ts';
import type { EdgeOutcome } from '../../../src/surfaces/edge/edge.ts';

const outcome = {
  live: { site: { id: 7 }, environment: 'production' },
  ...{ path: '/a', redirectId: 1, micros: 3 },
} as unknown as EdgeOutcome;

function hitsOf(request: { method?: string; nonce?: string }, nonce?: string): number {
  let hits = 0;
  const count = createOutcomeCounter(
    { record: () => void hits++ },
    { add: () => {} },
    () => ({ address: '203.0.113.7', country: undefined }),
    (websiteId) => (websiteId === 7 ? nonce : 'of another website'),
  );
  const rawHeaders = request.nonce === undefined ? [] : ['Detour-Check', request.nonce];
  count({ method: request.method ?? 'GET', url: '/a', rawHeaders } as unknown as IncomingMessage, outcome);
  return hits;
}

test('a GET is a hit, a HEAD is not', () => {
  expect(hitsOf({})).toBe(1);
  expect(hitsOf({ method: 'HEAD' })).toBe(0);
});

test('a check of this service is no hit; its header with another value is one', () => {
  expect(hitsOf({ nonce: 'secret' }, 'secret')).toBe(0);
  expect(hitsOf({ nonce: 'guess' }, 'secret')).toBe(1);
  expect(hitsOf({ nonce: 'secret' }, undefined)).toBe(1);
  expect(hitsOf({ nonce: 'of another website' }, 'secret')).toBe(1);
});

import { expect, test } from 'vitest';
import { createLiveRegistry, NOTHING_LIVE } from '../../../src/deployments/live/live-registry.ts';
import { createRelayWaits } from '../../../src/edge-agent/relay/relay-waits.ts';

const LONG_MS = 60_000;
const never = new AbortController().signal;

test('followers above the limit get 503, until another one leaves', async () => {
  const waits = createRelayWaits(createLiveRegistry(), 1);
  const first = Promise.withResolvers<void>();
  const running = waits.withFollower(() => first.promise);
  await expect(waits.withFollower(async () => {})).rejects.toMatchObject({ code: 'BUSY', retryAfter: 10 });
  expect(waits.followers()).toBe(1);
  first.resolve();
  await running;
  await waits.withFollower(async () => {});
  expect(waits.followers()).toBe(0);
});

test('a change wakes those who wait for this website, and the stop wakes all', async () => {
  const registry = createLiveRegistry();
  const waits = createRelayWaits(registry);
  const woken: number[] = [];
  const all = [1, 2].map((id) => waits.wait(id, LONG_MS, never).then(() => woken.push(id)));
  registry.setRules(1, 'production', NOTHING_LIVE);
  await all[0];
  expect(woken).toEqual([1]);
  waits.stop();
  await all[1];
  await waits.wait(1, LONG_MS, never);
});

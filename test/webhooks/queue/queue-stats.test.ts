import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/connection/client.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createDispatcherMetrics } from '../../../src/webhooks/queue/queue-stats.ts';

test('while the database is unavailable, the queue gauges have no value and all other metrics are complete', async () => {
  const metrics = new Registry();
  const db = openDatabase('postgres://unknown@127.0.0.1:1/none');
  const measured = createDispatcherMetrics(metrics, {
    db,
    clock: systemClock,
    isSending: true,
    hasMail: false,
    inFlight: () => 7,
  });
  measured.attempts.inc({ outcome: 'delivered' });
  measured.attempts.inc({ outcome: 'timeout' });
  measured.attempts.inc({ outcome: 'delivered' });
  measured.reclaimed.inc(3);
  for (const seconds of [0.004, 0.2, 400]) measured.firstAttempt.observe(seconds);
  const lines = (await metrics.metrics()).split('\n').filter((line) => /^[^#]/.test(line));
  expect(lines.filter((line) => !line.includes('_bucket'))).toEqual([
    'detour_webhook_sending 1',
    'detour_webhook_in_flight 7',
    'detour_webhook_attempts_total{outcome="delivered"} 2',
    'detour_webhook_attempts_total{outcome="timeout"} 1',
    'detour_webhook_reclaimed_total 3',
    'detour_webhook_first_attempt_seconds_sum 400.204',
    'detour_webhook_first_attempt_seconds_count 3',
  ]);
  expect(lines).toContain('detour_webhook_first_attempt_seconds_bucket{le="0.005"} 1');
  expect(lines).toContain('detour_webhook_first_attempt_seconds_bucket{le="0.25"} 2');
  expect(lines).toContain('detour_webhook_first_attempt_seconds_bucket{le="+Inf"} 3');
  await db.$client.end();
});

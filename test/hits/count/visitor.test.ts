import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createBatchDecoder, createBatchEncoder } from '../../../src/hits/count/request-batch.ts';
import { createVisitors } from '../../../src/hits/count/visitor.ts';
import { hitRequest } from '../../support/hits.ts';

test('overlong addresses and user agents identify visitors, and are not retained', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const heap = (): number => {
    if (typeof collect === 'function') collect();
    return process.memoryUsage().heapUsed;
  };
  const visitors = createVisitors(randomBytes(16), () => '');
  const encoder = createBatchEncoder();
  const decode = createBatchDecoder(visitors);
  const before = heap();
  const seen = new Set<string>();
  for (let i = 0; i < 1_000; i++) {
    encoder.add(
      hitRequest({
        websiteId: 1,
        address: `${i} ${'9'.repeat(50_000)}`,
        userAgent: `${'x'.repeat(50_000)} ${i}`,
      }),
      0,
    );
    decode(encoder.take(), ({ address, agent }) => {
      visitors.identify(address, agent);
      seen.add(`${visitors.high} ${visitors.low}`);
    });
  }
  expect(seen.size).toBe(1_000);
  expect(heap() - before).toBeLessThan(10 * 1024 * 1024);
});

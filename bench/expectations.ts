/** A run of expectations against the live rules of a large website, and the event loop delay meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './context.ts';
import { report } from './report.ts';
import { benchRow } from './rows.ts';
import { median } from './statistics.ts';

const EXPECTATIONS = 100_000;
/** Other parts of a full run change the first rules. */
const FIRST = 1_000;

interface Answer {
  run: { passed: number; failed: number; duration_ms: number };
}

/** Every expectation holds. The time is that of the request, so it includes the reading of the expectations. */
export async function measureExpectations(bench: Bench): Promise<void> {
  const website = await bench.website();
  const service = await bench.service();
  const path = `/api/websites/${website.id}/expectations`;
  const count = Math.min(EXPECTATIONS, bench.rows - FIRST);
  const expectations = Array.from({ length: count }, (_, index) => {
    const { oldPath, newPath, status } = benchRow(FIRST + index);
    return { url: oldPath, status_code: status, location: newPath };
  });
  await service.call('PUT', path, JSON.stringify({ expectations }));
  const taken: number[] = [];
  const delays: number[] = [];
  const idle: number[] = [];
  for (let repeat = 0; repeat < bench.repeats; repeat++) {
    await service.read('reset');
    const start = performance.now();
    const { run } = await service.call<Answer>('POST', `${path}/run`, '{}');
    taken.push((performance.now() - start) / 1_000);
    delays.push((await service.read('read')).delayMaxMs);
    if (run.passed !== count) throw new Error(`${run.failed} expectations failed`);
    // As long without work: the share of the machine.
    await service.read('reset');
    await pause((taken.at(-1) ?? 0) * 1_000);
    idle.push((await service.read('read')).delayMaxMs);
  }
  report('expectations', median(taken), { seconds: taken, expectations: count });
  report('expectationsDelay', Math.max(...delays), { ms: delays, idle_ms: idle });
}

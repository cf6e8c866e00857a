/** Loaded into the measured process (`--import`): reports memory and event loop delay over IPC. */
import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Reading {
  rssMb: number;
  peakRssMb: number;
  loopP99Ms: number;
  loopMaxMs: number;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on('message', (message) => {
  if (message === 'reset') {
    globalThis.gc?.();
    delay.reset();
    resetPeak();
  }
  process.send?.({
    ...memory(),
    loopP99Ms: delay.percentile(99) / 1e6,
    loopMaxMs: delay.max / 1e6,
  } satisfies Reading);
});
// The channel must not keep a stopping process alive.
process.channel?.unref();

/** Linux only. On other systems the peak is the current value. */
function resetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // not Linux
  }
}

function memory(): { rssMb: number; peakRssMb: number } {
  const rssMb = process.memoryUsage().rss / 1024 ** 2;
  try {
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return { rssMb, peakRssMb: Number(peak) / 1024 };
  } catch {
    return { rssMb, peakRssMb: rssMb };
  }
}

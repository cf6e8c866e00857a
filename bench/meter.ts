/**
 * Loaded into the measured process (`--import`): reports memory and event loop delay over IPC. Measures the delay only
 * between `reset` and `read`. A value is the time between two ticks of a timer of 1 ms, so an idle loop shows 1 ms.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

export interface Reading {
  rssMb: number;
  peakRssMb: number;
  delayP99Ms: number;
  delayMaxMs: number;
}

// Worker threads load it as well.
if (isMainThread && process.send) listen();

function listen(): void {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  process.on('message', (message) => {
    if (message === 'reset') {
      globalThis.gc?.();
      resetPeak();
      delay.enable();
      delay.reset();
    } else {
      delay.disable();
    }
    process.send?.({
      ...memory(),
      delayP99Ms: delay.percentile(99) / 1e6,
      delayMaxMs: delay.max / 1e6,
    } satisfies Reading);
  });
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The channel must not keep a stopping process alive.
  process.channel?.unref();
}

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

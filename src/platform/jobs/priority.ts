import { setPriority } from 'node:os';

/** A nice value; 0 is the default, 19 the lowest priority. */
const NICE = 5;

/**
 * Lowers the priority of the calling thread, so that the thread that answers visitors comes first when cores are busy.
 * Only on Linux, where the nice value belongs to a thread; elsewhere it belongs to the process.
 */
export function yieldToVisitors(): void {
  if (process.platform === 'linux') setPriority(0, NICE);
}

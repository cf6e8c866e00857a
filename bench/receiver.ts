/** A receiver of webhooks in a process of its own: answers 200 to all, and tells over IPC what came. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrivals {
  count: number;
  /** of the newest request: milliseconds since the epoch, with their fraction */
  lastAt: number;
}

const arrivals: Arrivals = { count: 0, lastAt: 0 };
let isAwaited = false;

const server = createServer((request, response) => {
  arrivals.lastAt = performance.timeOrigin + performance.now();
  arrivals.count += 1;
  if (isAwaited) process.send?.(arrivals);
  isAwaited = false;
  request.resume();
  request.on('end', () => response.end());
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
// Asked for what comes next.
process.on('message', () => (isAwaited = true));
process.on('disconnect', () => process.exit(0));

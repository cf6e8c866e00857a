/** A webhook receiver in a separate process: responds with 200 and reports arrivals over IPC. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrivals {
  count: number;
  /** time of the last request, in milliseconds of the monotonic clock, which the processes of a machine share */
  lastAt: number;
}

const arrivals: Arrivals = { count: 0, lastAt: 0 };
let isAwaited = false;

const server = createServer((request, response) => {
  arrivals.lastAt = Number(process.hrtime.bigint()) / 1e6;
  arrivals.count += 1;
  if (isAwaited) process.send?.(arrivals);
  isAwaited = false;
  request.resume();
  request.on('end', () => response.end());
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
// The parent requests a report of the next arrival.
process.on('message', () => (isAwaited = true));
process.on('disconnect', () => process.exit(0));

/** Entry of the worker thread: counts the batches that it receives, and writes when it is ordered to. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../db/client.ts';
import { createBatchAggregator } from './aggregator.ts';
import { openCountries } from './country.ts';
import { type RequestBatch, requestCount } from './request-batch.ts';
import { createVisitors } from './visitor.ts';
import { STATE, type WorkerCommand, type WorkerData, type WriteResult } from './worker-protocol.ts';

const { databaseUrl, visitorKey, geoipDb, limits, state } = workerData as WorkerData;
const visitors = createVisitors(Buffer.from(visitorKey), await openCountries(geoipDb));
// One connection writes; creating a partition needs a second one, which holds the advisory lock.
const db = openDatabase(databaseUrl, { max: 2 });
const aggregator = createBatchAggregator({ db, visitors, limits });
let counted = 0;

parentPort?.on('message', (command: WorkerCommand) => {
  if (command === 'close') void close();
  else if ('batch' in command) count(command.batch);
  else void write(command.write);
});

function count(batch: RequestBatch): void {
  aggregator.count(batch);
  counted += requestCount(batch);
  storeState();
}

async function write(now: Date): Promise<void> {
  const result: WriteResult = await aggregator.write(now).then(
    () => ({ written: true as const }),
    (error: unknown) => ({ error }),
  );
  storeState();
  parentPort?.postMessage(result);
}

async function close(): Promise<void> {
  parentPort?.close();
  await db.$client.end();
}

/** Stores `unwritten` before `counted`: a concurrent reader may count a request twice, but never misses one. */
function storeState(): void {
  const overflow = aggregator.overflow();
  Atomics.store(state, STATE.unwritten, BigInt(aggregator.unwritten()));
  Atomics.store(state, STATE.overflowHits, BigInt(overflow.hits));
  Atomics.store(state, STATE.overflowPaths, BigInt(overflow.paths));
  Atomics.store(state, STATE.counted, BigInt(counted));
}

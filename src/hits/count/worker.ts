/**
 * Entry of the worker thread: counts the batches that it receives, and writes when it is ordered to. Retains batches
 * until the database is available, because visitors are hashed with its key.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../db/connection/client.ts';
import { MAX_QUERY_MS } from '../../db/connection/session.ts';
import {
  type BatchAggregator,
  createBatchAggregator,
  STATE,
  type WorkerCommand,
  type WorkerData,
  type WriteResult,
} from './aggregator.ts';
import { openCountries } from './country.ts';
import { batchBytes, type RequestBatch, requestCount } from './request-batch.ts';
import { openVisitors } from './visitor.ts';

const { databaseUrl, geoipDb, secretKey, previousSecretKey, limits, state } = workerData as WorkerData;
const countryOf = await openCountries(geoipDb);
const db = openDatabase(databaseUrl, { max: 1, maxQueryMs: MAX_QUERY_MS });
/** Undefined until the first write that reaches the database. */
let aggregator: BatchAggregator | undefined;
/** Batches from before `aggregator` exists; hits/record/worker-client.ts bounds their number. */
const waiting: RequestBatch[] = [];
let counted = 0;
let countedBytes = 0;

parentPort?.on('message', (command: WorkerCommand) => {
  if (command === 'close') void close();
  else if ('batch' in command) receive(command.batch);
  else void write(command.write);
});

function receive(batch: RequestBatch): void {
  if (aggregator) count(aggregator, batch);
  else waiting.push(batch);
}

function count(to: BatchAggregator, batch: RequestBatch): void {
  to.count(batch);
  counted += requestCount(batch);
  countedBytes += batchBytes(batch);
  storeState(to);
}

async function write(now: Date): Promise<void> {
  const result: WriteResult = await writeCounted(now).then(
    () => ({ written: true as const }),
    (error: unknown) => ({ error }),
  );
  if (aggregator) storeState(aggregator);
  parentPort?.postMessage(result);
}

async function writeCounted(now: Date): Promise<void> {
  const ready = (aggregator ??= await openAggregator());
  for (const batch of waiting.splice(0)) count(ready, batch);
  await ready.write(now);
}

async function openAggregator(): Promise<BatchAggregator> {
  const visitors = await openVisitors(db, countryOf, { secretKey, previousSecretKey });
  return createBatchAggregator({ db, visitors, limits });
}

async function close(): Promise<void> {
  parentPort?.close();
  await db.$client.end();
}

/** Stores `unwritten` before `counted`: a concurrent reader may count a request twice, but never misses one. */
function storeState(from: BatchAggregator): void {
  const overflow = from.overflow();
  Atomics.store(state, STATE.unwritten, BigInt(from.unwritten()));
  Atomics.store(state, STATE.overflowHits, BigInt(overflow.hits));
  Atomics.store(state, STATE.overflowPaths, BigInt(overflow.paths));
  Atomics.store(state, STATE.countedBytes, BigInt(countedBytes));
  Atomics.store(state, STATE.counted, BigInt(counted));
}

/** The thread of ledger-thread.ts: it counts what it is handed, and writes when it is told to. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../db/client.ts';
import { openCountries } from './country.ts';
import { createBatchAggregator } from './aggregator.ts';
import { type Order, type Report, STATE, type ThreadData } from '../record/worker-client.ts';
import { type RequestBatch, requestsOf } from '../record/request-batch.ts';
import { createVisitors } from './visitor.ts';

const { databaseUrl, visitorKey, geoipDb, bounds, state } = workerData as ThreadData;
const visitors = createVisitors(Buffer.from(visitorKey), await openCountries(geoipDb));
// One batch is written at a time; making a month takes a second connection, for its lock.
const db = openDatabase(databaseUrl, { max: 2 });
const ledger = createBatchAggregator({ db, visitors, bounds });
let counted = 0;

parentPort?.on('message', (order: Order) => {
  if (order === 'close') void close();
  else if ('pack' in order) count(order.pack);
  else void write(order.write);
});

function count(pack: RequestBatch): void {
  ledger.count(pack);
  counted += requestsOf(pack);
  tellState();
}

async function write(now: Date): Promise<void> {
  const outcome = await ledger.write(now).then(
    () => ({ written: true as const }),
    (failed: unknown) => ({ failed }),
  );
  tellState();
  report(outcome);
}

async function close(): Promise<void> {
  parentPort?.close();
  await db.$client.end();
}

/** The hits first: whoever reads in between takes some for not written, and none for written. */
function tellState(): void {
  const folded = ledger.folded();
  Atomics.store(state, STATE.unwritten, BigInt(ledger.unwritten()));
  Atomics.store(state, STATE.foldedHits, BigInt(folded.hits));
  Atomics.store(state, STATE.foldedPaths, BigInt(folded.paths));
  Atomics.store(state, STATE.counted, BigInt(counted));
}

function report(report: Report): void {
  parentPort?.postMessage(report);
}

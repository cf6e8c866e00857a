/** Entry of the bulk thread. */
import { workerData } from 'node:worker_threads';
import { openDatabase } from '../db/client.ts';
import { yieldToVisitors } from '../platform/jobs/priority.ts';
import { serveJobs } from '../platform/jobs/serve.ts';
import { IMPORT_POOL_SIZE } from '../redirects/import/limits.ts';
import { bulkJobs } from './bulk-jobs.ts';
import type { BulkWorkerData } from './bulk-thread.ts';

/** Records of imports and errors, events of exports. */
const POOL_SIZE = 5;
const STREAM_POOL_SIZE = 10;

const { databaseUrl, instanceId } = workerData as BulkWorkerData;
const open = (max: number) => openDatabase(databaseUrl, { max });
const [db, streams, imports] = [open(POOL_SIZE), open(STREAM_POOL_SIZE), open(IMPORT_POOL_SIZE)];

yieldToVisitors();
serveJobs(bulkJobs({ db, streams, imports, instanceId }), () =>
  Promise.all([db, streams, imports].map((pool) => pool.$client.end())),
);

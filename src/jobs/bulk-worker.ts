/** Entry of the bulk thread. */
import { workerData } from 'node:worker_threads';
import { openDatabase } from '../db/client.ts';
import { yieldToVisitors } from '../platform/jobs/priority.ts';
import { serveJobs } from '../platform/jobs/serve.ts';
import { bulkJobs } from './bulk-jobs.ts';
import type { BulkWorkerData } from './bulk-thread.ts';

const { databaseUrl, instanceId, pools } = workerData as BulkWorkerData;
const open = (max: number) => openDatabase(databaseUrl, { max });
const [db, streams, imports] = [open(pools.main), open(pools.streams), open(pools.imports)];

yieldToVisitors();
serveJobs(bulkJobs({ db, streams, imports, instanceId }), () =>
  Promise.all([db, streams, imports].map((pool) => pool.$client.end())),
);

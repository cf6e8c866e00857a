/** The bulk thread with one more job: it ends the thread, as running out of memory does. */
import { workerData } from 'node:worker_threads';
import { openDatabase } from '../../src/db/connection/client.ts';
import { bulkJobs } from '../../src/jobs/bulk-jobs.ts';
import type { BulkWorkerData } from '../../src/jobs/bulk-thread.ts';
import { createRunDeps } from '../../src/start/check-deps.ts';
import { createReads } from '../../src/http/reads.ts';
import { JOB_WIRE } from '../../src/start/job-wire.ts';
import { createDownloads } from '../../src/urls/download.ts';
import { serveJobs } from '../../src/platform/jobs/serve.ts';

const { databaseUrl, instanceId } = workerData as BulkWorkerData;
const [db, streams, imports] = [1, 2, 3].map(() => openDatabase(databaseUrl, { max: 5 }));
if (!db || !streams || !imports) throw new Error('no pools');

const downloads = createDownloads('private');
const keys = { secretKey: Buffer.alloc(32, 7), previousSecretKey: null };
const checks = createRunDeps(db, { egress: 'private', publicUrl: 'http://localhost:3000', ...keys });
const countReport = () => Promise.reject(new Error('no agent reports here'));
const reads = createReads({ db, streams });
const logs = { openVisitors: countReport, retentionDays: 400 };
serveJobs(
  {
    ...bulkJobs({ db, streams, reads, imports, instanceId, countReport, logs, downloads, checks, wire: JOB_WIRE }),
    exit: async () => process.exit(1),
  },
  async () => {},
);

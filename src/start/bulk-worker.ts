/** Entry of the bulk thread. */
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { openDatabase } from '../db/connection/client.ts';
import { openCountries } from '../hits/count/country.ts';
import { openVisitors, type Visitors } from '../hits/count/visitor.ts';
import { createReportCounter } from '../hits/reported/count-report.ts';
import { serveJobs } from '../platform/jobs/serve.ts';
import { bulkJobs } from '../jobs/bulk-jobs.ts';
import type { BulkWorkerData } from '../jobs/bulk-thread.ts';
import { createDownloads } from '../urls/download.ts';
import { createRunDeps } from './check-deps.ts';
import { createReads } from '../http/reads.ts';
import { JOB_WIRE } from './job-wire.ts';

/** A nice value; 0 is the default, 19 the lowest priority. */
const NICE = 5;

const { databaseUrl, readUrl, instanceId, pools, hits, egress, checks } = workerData as BulkWorkerData;
const open = (max: number, url = databaseUrl) => openDatabase(url, { max });
const [db, streams, imports] = [open(pools.main), open(pools.streams), open(pools.imports)];
const standby = readUrl === null ? undefined : { db: open(pools.main, readUrl), streams: open(pools.streams, readUrl) };
let visitors: Promise<Visitors> | undefined;
const logs = {
  /** at the first log or report; again if it has failed */
  openVisitors() {
    visitors ??= openCountries(hits.geoipDb).then((countryOf) => openVisitors(db, countryOf, hits));
    visitors.catch(() => (visitors = undefined));
    return visitors;
  },
  retentionDays: hits.retentionDays,
};
const countReport = createReportCounter({ db, ...logs });

yieldToVisitors();
const downloads = createDownloads(egress);
const deps = {
  db,
  streams,
  imports,
  // The thread that answers has measured the standby, and says which exports may use it.
  reads: createReads({ db, streams }, standby && { ...standby, stalenessMs: () => 0 }),
  instanceId,
  countReport,
  logs,
  downloads,
  checks: createRunDeps(db, { ...checks, ...hits }),
};
serveJobs(bulkJobs({ ...deps, wire: JOB_WIRE }), () =>
  Promise.all([
    downloads.close(),
    ...[db, streams, imports, ...Object.values(standby ?? {})].map((pool) => pool.$client.end()),
  ]),
);

/**
 * Lowers the priority of the calling thread, so that the thread that answers visitors comes first when cores are busy.
 * Only on Linux, where the nice value belongs to a thread; elsewhere it belongs to the process.
 */
function yieldToVisitors(): void {
  if (process.platform === 'linux') setPriority(0, NICE);
}

/** The rows of the bench, each with its target. README.md defines them. */
export interface Target {
  /** the part that measures it: `--only <part>` */
  part: string;
  name: string;
  unit: string;
  /** the maximum, or with `atLeast` the minimum; null: no target */
  target: number | null;
  atLeast?: boolean;
  /** why it cannot be measured yet */
  notBuilt?: string;
}

const row = (part: string, name: string, unit: string, target: number | null, more: Partial<Target> = {}): Target => ({
  part,
  name,
  unit,
  target,
  ...more,
});
const atLeast = { atLeast: true };

export const TARGETS = {
  importNew: row('import', 'POST of new redirects / raw COPY', 'x', 1.25),
  importSame: row('import', 'the same file again / raw COPY', 'x', 0.6),
  importChanged: row('import', 'the same paths, every target changed / raw COPY', 'x', 2),
  importServed: row('import', 'import until the last rule is served / raw COPY', 'x', 1.8),
  importCsv: row('import', 'the new redirects as CSV / raw COPY', 'x', null),
  importRss: row('import', 'import: RSS growth without deployment', 'MB', 100),
  importDisk: row('import', 'database bytes of a new redirect', 'B', null),

  syncFew: row('sync', 'sync of 200,000 redirects of which 10 differ', 's', 2),
  syncServed: row('sync', 'from the response of that sync until it is served', 's', 1),
  syncSame: row('sync', 'sync without differences / bulk import of the same redirects', 'x', 1.1),

  importP99: row('visitors', 'other requests during an import, p99', 'ms', 25),
  importMax: row('visitors', 'other requests during an import, max', 'ms', 100),
  deploymentP99: row('visitors', 'other requests during a deployment, p99', 'ms', 25),
  deploymentMax: row('visitors', 'other requests during a deployment, max', 'ms', 100),
  exportP99: row('visitors', 'other requests during an export, p99', 'ms', 25),
  exportMax: row('visitors', 'other requests during an export, max', 'ms', 100),
  healthP99: row('visitors', 'other requests during a health report, p99', 'ms', 25),
  healthMax: row('visitors', 'other requests during a health report, max', 'ms', 100),
  loopsP99: row('visitors', 'other requests during a loop check, p99', 'ms', 25),
  loopsMax: row('visitors', 'other requests during a loop check, max', 'ms', 100),
  urlPushP99: row('visitors', 'other requests during a push of URLs, p99', 'ms', 25),
  urlPushMax: row('visitors', 'other requests during a push of URLs, max', 'ms', 100),
  urlCheckP99: row('visitors', 'other requests during a check of URLs, p99', 'ms', 25),
  urlCheckMax: row('visitors', 'other requests during a check of URLs, max', 'ms', 100),
  matchingP99: row('visitors', 'other requests during the matching of a move, p99', 'ms', 25),
  matchingMax: row('visitors', 'other requests during the matching of a move, max', 'ms', 100),
  moveMatch: row('visitors', 'suggestions for 100,000 URLs among 100,000 pages, by the API', 's', 60),
  importDelayP99: row('visitors', 'event loop delay during an import, p99', 'ms', 10),
  importDelayMax: row('visitors', 'event loop delay during an import, max', 'ms', 30),
  deploymentDelayP99: row('visitors', 'event loop delay during a deployment, p99', 'ms', 10),
  deploymentDelayMax: row('visitors', 'event loop delay during a deployment, max', 'ms', 30),
  exportDelayP99: row('visitors', 'event loop delay during an export, p99', 'ms', 10),
  exportDelayMax: row('visitors', 'event loop delay during an export, max', 'ms', 10),
  healthDelayP99: row('visitors', 'event loop delay during a health report, p99', 'ms', 10),
  healthDelayMax: row('visitors', 'event loop delay during a health report, max', 'ms', 30),
  loopsDelayP99: row('visitors', 'event loop delay during a loop check, p99', 'ms', 10),
  loopsDelayMax: row('visitors', 'event loop delay during a loop check, max', 'ms', 30),

  urlPushDelayP99: row('visitors', 'event loop delay during a push of URLs, p99', 'ms', 10),
  urlPushDelayMax: row('visitors', 'event loop delay during a push of URLs, max', 'ms', 30),
  urlCheckDelayP99: row('visitors', 'event loop delay during a check of URLs, p99', 'ms', 10),
  urlCheckDelayMax: row('visitors', 'event loop delay during a check of URLs, max', 'ms', 30),
  matchingDelayP99: row('visitors', 'event loop delay during the matching of a move, p99', 'ms', 10),
  matchingDelayMax: row('visitors', 'event loop delay during the matching of a move, max', 'ms', 30),

  exportTime: row('export', 'export as JSON over HTTP / COPY of the plain columns', 'x', 1.4),
  exportRss: row('export', 'export: RSS growth', 'MB', 60),
  feedTime: row('feed', 'feed of all rules over HTTP / COPY of the plain columns', 'x', 1.4),
  feedDifference: row('feed', 'difference of 10 rules in the feed', 'ms', 20),
  feedFollowed: row('feed', 'from the write of 10 rules until a follower that waits has them', 'ms', 200),

  editMedian: row('edits', 'one edit until two processes serve it, median', 'ms', 100),
  editMax: row('edits', 'one edit until two processes serve it, max', 'ms', 100),

  ruleBytes: row('memory', 'own bytes of an exact rule', 'B', 64),
  ruleRss: row('start', 'RSS of a rule after a start', 'B', 130),
  startSnapshot: row('start', 'start from the snapshot, PostgreSQL stopped, until a redirect', 's', 0.5),
  startDatabase: row('start', 'start from PostgreSQL until a redirect', 's', 3),
  startEmbedded: row('start', 'restart with the embedded PostgreSQL until a redirect', 's', null),

  cpuMain: row('serving', 'CPU of the main thread of a redirect / bare node:http', 'x', 1.15),
  hitMain: row('serving', 'CPU of the main thread of a redirect', 'µs', null),
  hitThreads: row('serving', 'CPU of the other threads of a redirect', 'µs', null),
  hitPostgres: row('serving', 'CPU of PostgreSQL of a redirect', 'µs', null),
  cpuAll: row('serving', 'CPU of all threads and PostgreSQL of a redirect / bare node:http', 'x', 1.3),

  hitsRate: row('hits', 'redirects per second, hits recorded / not recorded', 'x', 0.9, atLeast),
  hitsCpu: row('hits', 'CPU of the main thread of a redirect, hits not recorded / recorded', 'x', 0.9, atLeast),
  hitsDisk: row('hits', 'database bytes of a hit', 'B', null),
  hitsWritten: row('hits', 'hits written / redirects', 'x', 1, atLeast),

  patternsPrefix: row('patterns', '10,000 patterns with one beginning: slowest request', 'ms', 10),
  patternsNone: row('patterns', '10,000 patterns without a beginning: slowest request', 'ms', 10),

  apiCpu: row('api', 'CPU of the service and PostgreSQL of an API read', 'µs', null),
  apiRead: row('api', 'API reads by key per second / their statements through pg alone', 'x', 0.6, atLeast),
  listVersions: row('versions', 'list of 100 redirects with 10,000 versions / with 10', 'x', 1.2),

  rollbackFew: row('rollback', 'rollback of a few edits until live', 's', 1),
  rollbackAll: row('rollback', 'rollback of all rules until live', 's', 5),
  promotion: row('rollback', 'promotion of all rules until live', 's', 5),

  overview: row('overview', 'overview of 30 days over 10,000,000 stored days', 'ms', 15),

  deliveries: row('webhooks', 'webhook deliveries per second with their log / undici alone', 'x', 0.6, atLeast),
  deliveryCpu: row('webhooks', 'CPU of the service and PostgreSQL of a delivery', 'µs', null),
  deliveryDisk: row('webhooks', 'database bytes of a delivery with its event', 'B', null),
  firstByte: row('webhooks', 'write until the first byte at the receiver, p99', 'ms', 20),

  expectations: row('expectations', 'run of 100,000 expectations', 's', 2),
  expectationsDelay: row('expectations', 'event loop delay while expectations run, max', 'ms', 10),
  urlPush: row('urls', 'push of a list of living URLs / raw COPY', 'x', 1.5),
  urlSame: row('urls', 'the same list again / raw COPY', 'x', null),
  urlPage: row('urls', 'first page of the URLs, worst first', 's', 1),
  urlSearch: row('urls', 'search in the URLs', 's', 1),
  urlCheck: row('urls', 'check of all URLs against all rules', 's', 5),
  logTime: row('logs', 'access log with 5 lines a rule, 7 of 10 counted', 's', 15),
  logRss: row('logs', 'access log: RSS growth', 'MB', 200),
  undoImport: row('undo', 'undo of an import / the import', 'x', 2),
  undoCreated: row('undo', 'undo of created redirects / the change, worst size', 'x', 2),
  undoOthers: row('undo', 'undo of any other change / the change, worst kind and size', 'x', 3),
  undoDelay: row('undo', 'event loop delay during an undo, max', 'ms', 30),
} satisfies Record<string, Target>;

export type RowId = keyof typeof TARGETS;

/** Returns the ids of the rows of a part. */
export function rowsOf(part: string): RowId[] {
  return (Object.keys(TARGETS) as RowId[]).filter((id) => TARGETS[id].part === part);
}

import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { type Db, inSnapshot, type Queryable } from '../../db/client.ts';
import { readLive } from '../../deployments/live/live.ts';
import { publishEvents } from '../../events/outbox.ts';
import { type Clock, isoSeconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { wrongParameter } from '../../vocabulary/error.ts';
import { requireWebsite } from '../../websites/website.ts';
import { createDeployedToProd } from './deployed-to-prod.ts';
import { createEntryWriter, type ExportHead, type LosslessFormat } from './entries.ts';
import { type ExportFormat, isServerFormat, LOSSLESS_FORMATS, SERVER_FORMATS } from './formats.ts';
import { exportedChunks } from './rows.ts';
import { exportServer } from './server/server-export.ts';
import type { ServerFormat } from './server/server-format.ts';

export interface ExportDeps {
  db: Db;
  /** the pool whose connections an export may hold until it ends */
  streams: Db;
  clock: Clock;
  /** called when the event is stored */
  committed: () => void;
}

export interface ExportInput {
  websiteId: number;
  format: ExportFormat;
  /** '' selects redirects without a group */
  groupId: string | undefined;
  /** the environment of a server's configuration; lossless formats contain all environments */
  environment: Environment | undefined;
  /** write a comment instead of throwing if a server cannot express a redirect */
  lossy: boolean;
}

/** The snapshot that an export reads, and the count of its redirects so far. */
interface Export {
  deps: ExportDeps;
  input: ExportInput;
  head: ExportHead;
  snapshot: Queryable;
  client: PoolClient;
  counted: { count: number };
}

/**
 * Yields the redirects of a website as text in chunks, from one snapshot, in the byte order of their keys. Throws
 * WEBSITE_NOT_FOUND and validation errors before the first chunk. Stores the event before it yields the last chunk: a
 * complete file has its event, an aborted one has none.
 */
export async function* exportRedirects(
  deps: ExportDeps,
  actor: Actor,
  input: ExportInput,
): AsyncGenerator<string | Buffer> {
  const { websiteId, format, groupId } = input;
  assertEnvironmentFits(input);
  const exportId = newId('exp_');
  const exportedAt = isoSeconds(deps.clock.now());
  const filters = groupId === undefined ? {} : { group_id: groupId };
  const counted = { count: 0 };
  const chunks = inSnapshot(deps.streams, async function* (snapshot, client) {
    const website = await requireWebsite(snapshot, actor, websiteId);
    const head = { exportId, exportedAt, website, filters };
    const work: Export = { deps, input, head, snapshot, client, counted };
    if (isServerFormat(format)) yield* serverChunks(work, SERVER_FORMATS[format]);
    else yield* losslessChunks(work, LOSSLESS_FORMATS[format]);
  });
  let last: string | Buffer = '';
  for await (const chunk of chunks) {
    if (last.length > 0) yield last;
    last = chunk;
    // A fast socket delivers megabytes without a pause: yield to the event loop.
    await setImmediate();
  }
  const data = {
    export: {
      export_id: exportId,
      website_id: String(websiteId),
      format,
      filters,
      total_count: counted.count,
      exported_at: exportedAt,
    },
  };
  const event = { event: 'bulk_export.completed', websiteId, data } as const;
  await publishEvents(deps.db, actor, deps.clock.now(), [event]);
  deps.committed();
  yield last;
}

function assertEnvironmentFits({ format, environment }: ExportInput): void {
  if (environment === undefined || isServerFormat(format)) return;
  throw wrongParameter(
    'environment',
    `${format} contains the redirects of all environments; omit the parameter, or use the format of a server`,
  );
}

async function* losslessChunks(
  { deps, input, head, snapshot, client, counted }: Export,
  format: LosslessFormat,
): AsyncGenerator<string | Buffer> {
  const { websiteId, groupId } = input;
  const live = await readLive(snapshot, [websiteId]);
  const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
  const deployed = createDeployedToProd({ db: deps.db, id: rows[0]?.id ?? '' }, websiteId, live);
  const writeEntries = createEntryWriter(format, deployed);
  yield format.head(head);
  for await (const chunk of exportedChunks(client, { websiteId, group: groupId })) {
    const { text, count } = await writeEntries(chunk);
    counted.count += count;
    yield text;
  }
  yield format.tail(head, counted.count);
}

function serverChunks(
  { input, head, client, counted }: Export,
  format: ServerFormat,
): AsyncGenerator<string> {
  const { websiteId, groupId, lossy, environment = 'production' } = input;
  const { website, exportedAt } = head;
  const hosts = website.hosts.filter((host) => host.environment === environment).map((host) => host.hostname);
  const site = { website, environment, hosts, exportedAt };
  return exportServer({ client, scope: { websiteId, group: groupId }, site, format, lossy }, counted);
}

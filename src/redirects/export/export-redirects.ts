import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { type Db, type Queryable, inSnapshot } from '../../db/client.ts';
import { type Clock, isoSeconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { readLive } from '../../deployments/live/live.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { publishEvents } from '../../events/outbox.ts';
import { requireWebsite } from '../../websites/website.ts';
import { createDeployedToProd } from './deployed-to-prod.ts';
import {
  type ExportFormat,
  LOSSLESS_FORMATS,
  type LosslessFormatName,
  isServerFormat,
  SERVER_FORMATS,
} from './formats.ts';
import { createEntryMaker } from './splice.ts';
import { exportedChunks } from './rows.ts';
import { type ServerExport, serverPieces } from './server/server-export.ts';
import type { ExportHead } from './lossless.ts';

export interface ExportDeps {
  db: Db;
  /** the pool whose connections are kept for as long as an export lasts */
  streams: Db;
  clock: Clock;
  /** called when the event is stored */
  committed: () => void;
}

export interface ExportInput {
  websiteId: number;
  format: ExportFormat;
  /** '' means those without a group */
  groupId: string | undefined;
  /** whose rules a server's configuration has; the lossless formats have all, and take none */
  environment: Environment | undefined;
  /** what a server cannot do becomes a comment instead of a refusal */
  lossy: boolean;
}

/**
 * The redirects of a website as text, piece by piece, all of it from one snapshot and in the byte order of their keys. Throws before the
 * first piece where the website is not the account's. The event is stored before the last piece is given away: a file that is
 * whole has its event, and one that broke off has none.
 */
export async function* exportRedirects(
  deps: ExportDeps,
  actor: Actor,
  input: ExportInput,
): AsyncGenerator<string | Buffer> {
  const { format } = input;
  checkEnvironment(input);
  const head = { exportId: newId('exp_'), exportedAt: isoSeconds(deps.clock.now()) };
  const filters = input.groupId === undefined ? {} : { group_id: input.groupId };
  const counted = { count: 0 };
  const pieces = inSnapshot(deps.streams, async function* (snapshot, client) {
    const website = await requireWebsite(snapshot, actor, input.websiteId);
    const whole = { ...head, website, filters };
    if (isServerFormat(format)) yield* serverPieces(serverExport(client, whole, input, format), counted);
    else yield* losslessPieces(deps.db, { snapshot, client }, whole, { ...input, format }, counted);
  });
  let last: string | Buffer = '';
  for await (const piece of pieces) {
    if (last.length > 0) yield last;
    last = piece;
    // A socket that is read fast brings megabytes in one turn of the event loop; everybody else gets theirs in between.
    await setImmediate();
  }
  const data = {
    export: {
      export_id: head.exportId,
      website_id: String(input.websiteId),
      format: input.format,
      filters,
      total_count: counted.count,
      exported_at: head.exportedAt,
    },
  };
  const event = { event: 'bulk_export.completed', websiteId: input.websiteId, data } as const;
  await publishEvents(deps.db, actor, deps.clock.now(), [event]);
  deps.committed();
  yield last;
}

function checkEnvironment({ format, environment }: ExportInput): void {
  if (environment === undefined || isServerFormat(format)) return;
  const message = `${format} has the redirects of all environments; leave the parameter out, or name a server's format`;
  throw new DomainError('INVALID_PARAMETER', `environment: ${message}`, {
    details: `environment: ${message}`,
    issues: [{ path: 'environment', code: 'INVALID_PARAMETER', message }],
  });
}

function serverExport(
  client: PoolClient,
  { website, exportedAt }: ExportHead,
  { websiteId, groupId, lossy, environment = 'production' }: ExportInput,
  name: keyof typeof SERVER_FORMATS,
): ServerExport {
  const hosts = website.hosts.filter((host) => host.environment === environment).map((host) => host.hostname);
  const site = { website, environment, hosts, exportedAt };
  return { client, scope: { websiteId, group: groupId }, site, format: SERVER_FORMATS[name], lossy };
}

async function* losslessPieces(
  db: Db,
  { snapshot, client }: { snapshot: Queryable; client: PoolClient },
  head: ExportHead,
  {
    websiteId,
    groupId,
    format,
  }: { websiteId: number; groupId: string | undefined; format: LosslessFormatName },
  counted: { count: number },
): AsyncGenerator<string | Buffer> {
  const writer = LOSSLESS_FORMATS[format];
  const live = await readLive(snapshot, [websiteId]);
  const { rows: names } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
  const deployed = createDeployedToProd({ db, id: names[0]?.id ?? '' }, websiteId, live);
  const toEntries = createEntryMaker(writer, deployed);
  yield writer.head(head);
  for await (const rows of exportedChunks(client, { websiteId, group: groupId })) {
    const { entries, count } = await toEntries(rows);
    counted.count += count;
    yield entries;
  }
  yield writer.tail(head, counted.count);
}

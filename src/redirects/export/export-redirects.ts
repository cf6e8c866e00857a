import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { type Db, inSnapshot, type Queryable } from '../../db/connection/client.ts';
import { readLive } from '../../deployments/live/database/live.ts';
import { noRules, requireVersion } from '../../deployments/publish/versions/version-choice.ts';
import { publishEvents } from '../../events/outbox.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { hostNames } from '../../resolver/host-table.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { requireWebsite, type Website } from '../../websites/website.ts';
import type { RedirectFilter } from '../list/filter.ts';
import { createDeployedToProd, draftLookup } from './deployed-to-prod.ts';
import type { ExportHead, LosslessFormat } from '../../formats/write/lossless-format.ts';
import { createEntryWriter } from './entries.ts';
import {
  type ExportFormat,
  isServerFormat,
  LOSSLESS_FORMATS,
  SERVER_FORMATS,
} from '../../formats/write/export-formats.ts';
import { exportedChunks, type ExportScope } from './rows.ts';
import { exportServer } from './server-export.ts';
import type { ServerSite } from '../../formats/write/servers/server-format.ts';
import { versionLookup } from './version-times.ts';

export interface ExportInput {
  websiteId: number;
  format: ExportFormat;
  /** any but the group: only for the current redirects in a lossless format */
  filter: RedirectFilter;
  /** the filter as the client sent it, for the file and the event */
  filters: Record<string, unknown>;
  /** the number of a version, 0 for an environment without any, or the current redirects */
  version: number | 'draft';
  /** of the version or of a server's configuration; the current redirects are those of all environments */
  environment: Environment | undefined;
  /** write a comment instead of throwing if a server cannot express a redirect */
  lossy: boolean;
}

interface ExportDeps {
  db: Db;
  streams: Db;
  /** stores the event; default: `db` */
  events?: Db;
}

interface LosslessExport {
  snapshot: Queryable;
  client: PoolClient;
  db: Db;
  scope: ExportScope;
  head: ExportHead;
}

/**
 * Yields the redirects of a website as text in chunks, from one snapshot, in the byte order of their keys. Throws
 * WEBSITE_NOT_FOUND and validation errors before the first chunk. Stores the event before it yields the last chunk: a
 * complete file has its event, an aborted one has none. Only `events` is written to. An export may hold a connection of
 * `streams` until it ends.
 */
export async function* exportRedirects(deps: ExportDeps, actor: Actor, input: ExportInput, now: Date) {
  const { websiteId, format, filter, filters, version } = input;
  const exportId = newId('exp_');
  const exportedAt = isoSeconds(now);
  const counted = { count: 0 };
  const chunks = inSnapshot(deps.streams, async function* (snapshot, client) {
    const website = await requireWebsite(snapshot, actor, websiteId);
    const of = await versionOf(snapshot, input);
    const scope = { websiteId, filter, rules: of?.rules };
    const head = { exportId, exportedAt, website, filters, of };
    if (isServerFormat(format)) {
      const site = siteOf(website, input);
      yield* exportServer({ client, scope, site, format: SERVER_FORMATS[format], lossy: input.lossy }, counted);
    } else {
      const work = { snapshot, client, db: deps.db, scope, head };
      yield* losslessChunks(work, LOSSLESS_FORMATS[format], counted);
    }
  });
  let last: string | Buffer = '';
  for await (const chunk of chunks) {
    if (last.length > 0) yield last;
    last = chunk;
    // A fast socket delivers megabytes without a pause: yield to the event loop.
    await setImmediate();
  }
  const completed = {
    export_id: exportId,
    website_id: String(websiteId),
    format,
    filters,
    ...(version !== 'draft' && { environment: input.environment, version }),
    total_count: counted.count,
    exported_at: exportedAt,
  };
  const event = { event: 'bulk_export.completed', websiteId, data: { export: completed } } as const;
  await publishEvents(deps.events ?? deps.db, actor, now, [event]);
  yield last;
}

/** Returns the exported version; undefined for the current redirects. Throws VERSION_NOT_FOUND and VERSION_EXPIRED. */
async function versionOf(snapshot: Queryable, { websiteId, environment = 'production', version }: ExportInput) {
  if (version === 'draft') return undefined;
  const rules =
    version === 0 ? noRules(environment) : await requireVersion(snapshot, websiteId, environment, { version });
  return { environment, version, rules };
}

function siteOf(website: Website, { environment = 'production', version }: ExportInput): ServerSite {
  const ofEnvironment = website.hosts.filter((host) => host.environment === environment && !host.redirectTo);
  const state =
    version === 'draft'
      ? `undeployed changes for ${environment} included (revision ${website.headRev})`
      : version === 0
        ? `nothing is deployed to ${environment} yet`
        : `version ${version} of ${environment}`;
  const hosts = ofEnvironment.map(({ hostname }) => hostname);
  return { website, environment, hosts, ownHosts: hostNames(website.hosts), state };
}

async function* losslessChunks(
  { snapshot, client, db, scope, head }: LosslessExport,
  format: LosslessFormat,
  counted: { count: number },
): AsyncGenerator<string | Buffer> {
  const { websiteId } = scope;
  const lookup = head.of
    ? versionLookup(websiteId, head.of)
    : draftLookup(websiteId, await readLive(snapshot, [websiteId]));
  const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
  const deployed = createDeployedToProd({ db, id: rows[0]?.id ?? '' }, lookup);
  const writeEntries = createEntryWriter(format, deployed);
  yield format.head(head);
  for await (const chunk of exportedChunks(client, scope)) {
    const { text, count } = await writeEntries(chunk);
    counted.count += count;
    yield text;
  }
  yield format.tail(head, counted.count);
}

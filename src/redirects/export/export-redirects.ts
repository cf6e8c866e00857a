import type { PoolClient } from 'pg';
import type { Db, Queryable } from '../../db/client.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import { type Clock, isoSeconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { readLive } from '../../versions/live.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { publishEvents } from '../../webhooks/outbox.ts';
import { requireWebsite } from '../../websites/website.ts';
import { csvWriter } from './csv.ts';
import { createDeployedToProd } from './deployed-to-prod.ts';
import { jsonWriter, ndjsonWriter } from './json.ts';
import { exportedRows } from './rows.ts';
import type { ExportHead, LosslessWriter } from './writer.ts';

const LOSSLESS: Record<string, LosslessWriter> = { json: jsonWriter, csv: csvWriter, ndjson: ndjsonWriter };

export interface ExportDeps {
  db: Db;
  /** the pool whose connections are kept for as long as an export lasts */
  streams: Db;
  clock: Clock;
}

export interface ExportInput {
  websiteId: number;
  format: string;
  /** '' means those without a group */
  groupId: string | undefined;
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
): AsyncGenerator<string> {
  const head = { exportId: newId('exp_'), exportedAt: isoSeconds(deps.clock.now()) };
  const filters = input.groupId === undefined ? {} : { group_id: input.groupId };
  const counted = { count: 0 };
  const pieces = inSnapshot(deps.streams, async function* (snapshot, client) {
    const website = await requireWebsite(snapshot, actor, input.websiteId);
    yield* losslessPieces(deps.db, { snapshot, client }, { ...head, website, filters }, input, counted);
  });
  let last = '';
  for await (const piece of pieces) {
    if (last !== '') yield last;
    last = piece;
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
  yield last;
}

async function* losslessPieces(
  db: Db,
  { snapshot, client }: { snapshot: Queryable; client: PoolClient },
  head: ExportHead,
  { websiteId, groupId, format }: ExportInput,
  counted: { count: number },
): AsyncGenerator<string> {
  const writer = LOSSLESS[format];
  if (!writer) throw new Error(`no such format: ${format}`);
  const live = await readLive(snapshot, [websiteId]);
  const { rows: names } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
  const deployedToProd = createDeployedToProd({ db, id: names[0]?.id ?? '' }, websiteId, live);
  let opening = writer.head(head);
  for await (const rows of exportedRows(client, { websiteId, group: groupId })) {
    const deployed = await deployedToProd(rows);
    let text = opening;
    rows.forEach((row, at) => {
      text += (at === 0 ? '' : writer.separator) + writer.row(row, deployed[at] ?? null);
    });
    counted.count += rows.length;
    opening = writer.separator;
    yield text;
  }
  yield (counted.count === 0 ? opening : '') + writer.tail(head, counted.count);
}

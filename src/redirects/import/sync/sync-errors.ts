/** Entries of a sync that contradict each other or the rest of the website. */
import type { PoolClient } from 'pg';
import { copyRows } from '../../../db/copy/copy-rows.ts';
import type { ErrorLog } from '../engine/error-log.ts';
import type { EntryPlace } from '../engine/invalid-entries.ts';
import type { Stage } from '../engine/stage.ts';

/** Adds an error for each entry whose path an earlier entry has. The stage is closed. */
export async function addRepeated(
  client: PoolClient,
  { table, hasDuplicates }: Stage,
  errors: ErrorLog,
  place: EntryPlace,
): Promise<void> {
  if (!hasDuplicates) return;
  const earlier = place === 'index' ? 'entry' : 'line';
  const query = `select line, path, first_line from (
      select s.seq, s.line, coalesce(s.old_path, s.key) as path, row_number() over w as n, min(s.line) over w as first_line
      from ${table} s where s.key in (select d.key from ${table} d where d.needs_replay)
      window w as (partition by s.key order by s.seq)) repeated
    where n > 1 order by seq`;
  await addAll(client, query, errors, (first) => `${earlier} ${first} has the same path; send each path once`);
}

/** Adds an error for each entry whose path belongs to a redirect outside of the group. */
export async function addForeign(
  client: PoolClient,
  table: string,
  { websiteId, groupId }: { websiteId: number; groupId: string },
  errors: ErrorLog,
): Promise<void> {
  // COPY takes no parameters.
  const group = client.escapeLiteral(groupId);
  const query = `select s.line, coalesce(s.old_path, s.key), r.group_id
    from ${table} s join redirects r on r.website_id = ${websiteId} and r.key = s.key
    where not s.needs_replay and r.group_id is distinct from ${group} order by s.seq`;
  await addAll(client, query, errors, (other) => {
    const place = other === null ? 'without a group' : `of the group ${JSON.stringify(other)}`;
    return `the path belongs to a redirect ${place}; delete that one or change its group first`;
  });
}

async function addAll(
  client: PoolClient,
  query: string,
  errors: ErrorLog,
  messageOf: (detail: string | null) => string,
): Promise<void> {
  for await (const rows of copyRows(client, query)) {
    for (const [line, path = null, detail = null] of rows) {
      errors.add({
        line: Number(line),
        column: 'old_path',
        code: 'CONFLICT',
        message: messageOf(detail),
        oldPath: path,
      });
    }
    await errors.flush();
  }
}

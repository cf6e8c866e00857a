/** Physical limits for comparison, measured in the same run on the same machine. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { BareResponse } from './bare.ts';
import { helper } from './cleanup.ts';
import { query } from './context.ts';
import { rowText } from './rows.ts';
import { seconds } from './statistics.ts';

/** Seconds of a COPY of the same rows in the same order into a table with a primary key and one unique index. */
export function rawCopySeconds(databaseUrl: string, count: number): Promise<number> {
  return query(databaseUrl, async (client) => {
    await client.query(`create table bench_raw (id bigint generated always as identity primary key, website_id int not null,
      old_path text collate "C" not null, new_path text not null, status_code smallint not null, group_id text, notes text,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now(), unique (website_id, old_path))`);
    await client.query('checkpoint');
    const rows = rowText(count, (row) => `1\t${row.oldPath}\t${row.newPath}\t${row.status}\n`);
    const taken = await seconds(() =>
      pipeline(
        Readable.from(rows),
        client.query(copyFrom('copy bench_raw (website_id, old_path, new_path, status_code) from stdin')),
      ),
    );
    await client.query('drop table bench_raw');
    return taken;
  });
}

/** Seconds of a COPY of the plain columns of a website's redirects. */
export function rawCopyOutSeconds(databaseUrl: string, websiteId: number): Promise<number> {
  return query(databaseUrl, (client) => {
    const text = `copy (select id, old_path, new_path, status_code, is_regex, group_id, notes, created_at from redirects
      where website_id = ${websiteId}) to stdout`;
    return seconds(async () => {
      for await (const _chunk of client.query(copyTo(text)));
    });
  });
}

export interface BareServer {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

/** Starts a bare node:http server with this response in a separate process. */
export async function startBareServer(response: BareResponse): Promise<BareServer> {
  const { child, stop } = helper('bare.ts');
  child.send(response);
  const [port] = (await once(child, 'message')) as [number];
  return { pid: child.pid ?? 0, port, stop };
}

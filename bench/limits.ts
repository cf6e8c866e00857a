/** Physical limits for comparison, measured in the same run on the same server. */
import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { rowText } from './rows.ts';
import { seconds } from './report.ts';

/** Seconds of a COPY of the same rows in the same order into a table with a primary key and one unique index. */
export async function rawCopySeconds(databaseUrl: string, count: number): Promise<number> {
  const client = new Client(databaseUrl);
  await client.connect();
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
  await client.end();
  return taken;
}

/** Seconds of a COPY of the plain columns of a website's redirects. */
export async function rawCopyOutSeconds(databaseUrl: string, websiteId: number): Promise<number> {
  const client = new Client(databaseUrl);
  await client.connect();
  const text = `copy (select id, old_path, new_path, status_code, is_regex, group_id, notes, created_at from redirects
    where website_id = ${websiteId}) to stdout`;
  const taken = await seconds(async () => {
    for await (const _chunk of client.query(copyTo(text)));
  });
  await client.end();
  return taken;
}

/** Starts a node:http server that responds with a constant redirect. */
export async function startBareServer(): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    request.resume();
    response.statusCode = 301;
    response.setHeader('Location', '/en/docs/summer-collection/page-1-abcdef');
    response.setHeader('Cache-Control', 'private, max-age=90');
    response.setHeader('Content-Length', 0);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server, address: `http://127.0.0.1:${address.port}` };
}

/** COPY out through a proxy that cuts what PostgreSQL sends at random places. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from 'pg';
import { copyOut } from '../../../src/db/copy/copy-out.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

let database: FreshDatabase;
let proxy: Server;
let url: string;

beforeAll(async () => {
  database = await freshDatabase();
  const { hostname, port } = new URL(database.url);
  let seed = 1;
  const next = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0);
  proxy = createServer((socket: Socket) => {
    const upstream = connect(Number(port), hostname);
    socket.setNoDelay(true);
    socket.pipe(upstream);
    void (async () => {
      for await (const chunk of upstream as AsyncIterable<Buffer>) {
        for (let at = 0; at < chunk.length;) {
          const size = 1 + (next() % (next() % 4 === 0 ? 12 : 4_000));
          socket.write(chunk.subarray(at, at + size));
          at += size;
          // Without a pause the reader would receive several pieces as one chunk.
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      socket.end();
    })().catch(() => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const own = new URL(database.url);
  own.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  url = own.href;
});

afterAll(async () => {
  proxy.close();
  await database.close();
});

async function withProxied<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function read(client: Client, query: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of client.query(copyOut(`copy (${query}) to stdout`)) as AsyncIterable<Buffer>)
    chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('rows arrive whole and in order wherever the network cuts them, and the connection stays usable', async () => {
  await withProxied(async (client) => {
    const rows = `select i, repeat(chr(97 + i % 26), case when i % 500 = 0 then 100000 else i % 300 end) from generate_series(1, 3000) i`;
    const expected = (await client.query<{ i: number; repeat: string }>(rows)).rows
      .map(({ i, repeat }) => `${i}\t${repeat}\n`)
      .join('');
    for (let round = 0; round < 3; round++) {
      expect(await read(client, rows)).toBe(expected);
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    }
    expect(await read(client, 'select 1 where false')).toBe('');
  });
});

test('an error after some rows rejects, and the connection stays usable', async () => {
  await withProxied(async (client) => {
    await expect(read(client, 'select 1000 / (2000 - i) from generate_series(1, 3000) i')).rejects.toThrow(
      /division by zero/,
    );
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});

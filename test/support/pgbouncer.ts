/** PgBouncer from its Debian package, with the pgbouncer.ini of docs/operations.md. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../src/platform/postgres/server.ts';
import { startProgram } from './server-program.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');

export interface PgBouncer {
  /** of the same database as the direct URL, through PgBouncer */
  url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer before the database of `directUrl`. `edit` changes the text of the page's pgbouncer.ini. */
export async function startPgBouncer(directUrl: string, edit = (ini: string) => ini): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'detour-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort('127.0.0.1');
  const { hostname, port: serverPort, username, password, pathname } = new URL(directUrl);
  const ini = /```ini\n(.*?)```/s.exec(PAGE)?.[1] ?? '';
  const own = {
    'detour = ': `${pathname.slice(1)} = `,
    'host=db.internal port=5432 dbname=detour': `host=${hostname} port=${serverPort} dbname=${pathname.slice(1)}`,
    '10.0.0.5': '127.0.0.1',
    '6432': String(port),
    '/etc/pgbouncer': folder,
  };
  const text = Object.entries(own).reduce((before, [from, to]) => before.replace(from, to), ini);
  writeFileSync(join(folder, 'pgbouncer.ini'), `${edit(text)}unix_socket_dir =\n`);
  writeFileSync(join(folder, 'userlist.txt'), `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
  const url = Object.assign(new URL(directUrl), { hostname: '127.0.0.1', port: String(port) }).href;
  // It does not run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const stop = await startProgram('pgbouncer', [...user, join(folder, 'pgbouncer.ini')], {
    home: folder,
    isUp: () => isUp(url),
  });
  return {
    url,
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isUp(url: string): Promise<boolean> {
  const client = new Client(url);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    client.end().catch(() => {});
  }
}

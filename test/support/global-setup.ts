import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/db/connection/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { startPostgres } from '../../src/platform/postgres/embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    pgUrl: string;
  }
}

/** Starts one server per run, with the migrated database `template` that every test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'detour-test-'));
  chmodSync(folder, 0o755);
  const postgres = await startPostgres({ dataDir: folder, durable: false });
  const admin = openDatabase(postgres.url, { max: 1 });
  await admin.execute('create database template');
  await admin.$client.end();
  const template = openDatabase(postgres.url.replace(/postgres$/, 'template'), { max: 2 });
  await migrate(template);
  await template.$client.end();
  project.provide('pgUrl', postgres.url);
  return async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

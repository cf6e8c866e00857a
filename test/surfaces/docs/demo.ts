/** The demo data of a first start, behind a whole service: what the examples of the API reference are sent to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import type pg from 'pg';
import { bootstrap } from '../../../src/bootstrap/bootstrap.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { startDetour } from '../../../src/start.ts';
import { freshDatabase } from '../../support/database.ts';

export interface Demo {
  address: string;
  apiKey: string;
  database: pg.Pool;
  stop(): Promise<void>;
}

export async function startDemo(): Promise<Demo> {
  const database = await freshDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'detour-demo-'));
  const config = loadConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PUBLIC_URL: 'http://localhost:3000',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    OWNER_EMAIL: 'owner@example.com',
    OWNER_PASSWORD: 'correct horse battery',
    SIGN_UP: 'open',
    TRUST_PROXY: '1',
    WEBHOOK_EGRESS: 'private',
    SNAPSHOTS: 'off',
  });
  // Before anything deploys, so that each environment begins with one version.
  const credentials = await bootstrap(database.db, config, systemClock);
  const service = await startDetour({
    config,
    databaseUrl: database.url,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  return {
    address: service.address,
    apiKey: credentials?.api_key ?? '',
    database: database.db.$client,
    async stop() {
      await service.stop();
      await database.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

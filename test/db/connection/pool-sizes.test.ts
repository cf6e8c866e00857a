import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connectionShortage,
  connectionsPerProcess,
  mainPoolShares,
  poolSizes,
} from '../../../src/db/connection/pool-sizes.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.close());

const SINGLE_CONNECTIONS = 3;
const all = { role: 'all', processes: 1, databaseConnections: null } as const;

function sum(options: Parameters<typeof poolSizes>[0]): number {
  const { main, streams, rulesets, bulk } = poolSizes(options);
  return SINGLE_CONNECTIONS + main + streams + rulesets + bulk.main + bulk.streams + bulk.imports;
}

test('the pools of a process add up to its connections, and each has its minimum', () => {
  for (let databaseConnections = 20; databaseConnections <= 200; databaseConnections++) {
    const options = { ...all, databaseConnections };
    expect(sum(options)).toBe(databaseConnections);
    const { main, streams, rulesets, bulk } = poolSizes(options);
    expect(
      Math.min(main - 6, streams - 2, rulesets - 2, bulk.main - 2, bulk.streams - 2, bulk.imports - 3),
    ).toBeGreaterThanOrEqual(0);
    // Deployments and writes at their limits leave connections for reads.
    const { deployments, writes } = mainPoolShares(main);
    expect(main - 2 * deployments - writes).toBeGreaterThanOrEqual(2);
  }
});

test('by default, two processes fit into the 97 connections of an unconfigured PostgreSQL, and so do up to four of one start', () => {
  expect(2 * connectionsPerProcess(all)).toBeLessThan(97);
  for (const processes of [2, 3, 4]) expect(processes * connectionsPerProcess({ ...all, processes })).toBeLessThan(97);
  expect(sum({ ...all, role: 'edge' })).toBe(connectionsPerProcess({ ...all, role: 'edge' }));
});

test('a start that may open more than the server allows gets a warning with the numbers', async () => {
  expect(await connectionShortage(database.db, all)).toBeUndefined();
  expect(await connectionShortage(database.db, { ...all, processes: 64, databaseConnections: 1_000 })).toMatch(
    /up to 64000 .*\(64 x 1000\).*the server allows 297.*DATABASE_CONNECTIONS/,
  );
});

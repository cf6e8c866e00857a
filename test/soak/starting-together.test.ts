/** Five processes that start at the same moment on one database. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { StarterCommand, StarterReply } from '../support/starter-process.ts';

const PROCESSES = 5;
const STARTS = 6;

let folder: string;
let starters: ChildProcess[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'detour-starting-'));
  const entry = join(import.meta.dirname, '..', 'support', 'starter-process.ts');
  starters = Array.from({ length: PROCESSES }, () => fork(entry, [folder]));
});
afterAll(async () => {
  const ends = starters.map((starter) => once(starter, 'exit'));
  for (const starter of starters) starter.kill('SIGKILL');
  await Promise.all(ends);
  rmSync(folder, { recursive: true, force: true });
});

/** Sends the command to all processes at once. Returns everything that went wrong. */
async function tellAll(command: StarterCommand): Promise<string[]> {
  const replies = starters.map((starter) => once(starter, 'message') as Promise<[StarterReply]>);
  for (const starter of starters) starter.send(command as string);
  return (await Promise.all(replies)).flatMap(([{ error, log }]) => [...(error === undefined ? [] : [error]), ...log]);
}

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function startAndStop(url: string): Promise<string[]> {
  const wrong = await tellAll(url);
  return [...wrong, ...(await tellAll(null))];
}

test('all become ready on an empty database, without an error, and create one account', async () => {
  for (let start = 0; start < STARTS; start++) {
    const name = `together_${randomUUID().replaceAll('-', '')}`;
    await query(inject('pgUrl'), `create database ${name}`);
    const url = inject('pgUrl').replace(/postgres$/, name);
    expect(await startAndStop(url)).toEqual([]);
    expect(await query(url, 'select count(*)::int as accounts from accounts')).toEqual([{ accounts: 1 }]);
  }
});

test('all become ready after a week in which nothing ran, and the partitions of the coming days and months exist', async () => {
  const name = `together_${randomUUID().replaceAll('-', '')}`;
  await query(inject('pgUrl'), `create database ${name}`);
  const url = inject('pgUrl').replace(/postgres$/, name);
  expect(await startAndStop(url)).toEqual([]);
  const partitions = async (): Promise<string[]> => {
    const rows = await query<{ name: string }>(
      url,
      `select relname as name from pg_class where relkind = 'r' and relname ~ '^(events|attempts|website_hits|redirect_hits)_\\d+$' order by 1`,
    );
    return rows.map((row) => row.name);
  };
  const complete = await partitions();
  expect(complete.length).toBeGreaterThan(20);
  for (let start = 0; start < STARTS; start++) {
    await query(url, `drop table ${complete.join(', ')}`);
    expect(await startAndStop(url)).toEqual([]);
    expect(await partitions()).toEqual(complete);
  }
});

/**
 * Compares the set-based SQL of the merge, and the replay before it, with planChange and planCreation on random
 * redirects and entries. Holds the rules of src/redirects/import/engine/change-sql.ts and replay-entries.ts.
 */
import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../../../src/accounts/account.ts';
import { queryableOf, withClient } from '../../../../src/db/connection/client.ts';
import { redirects } from '../../../../src/db/schema/redirects.ts';
import { type MergeResult, mergeStage } from '../../../../src/redirects/import/engine/merge.ts';
import { createStage } from '../../../../src/redirects/import/engine/stage.ts';
import { storeVerdicts, verdictTable } from '../../../../src/redirects/import/verdicts/store-verdicts.ts';
import { checkEntry } from '../../../../src/formats/read/json/check-entry.ts';
import { planChange, planCreation } from '../../../../src/redirects/rule/change.ts';
import { type ImportEntry, isRowError } from '../../../../src/rules/entry.ts';
import { environmentsOf, type RedirectFields, type RedirectRow } from '../../../../src/redirects/rule/redirect.ts';
import { ALWAYS } from '../../../../src/rules/schedule.ts';
import type { Actor } from '../../../../src/vocabulary/actor.ts';
import { type Environment, ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import { ROW_CHANGES, type RowChange } from '../../../../src/vocabulary/import/verdict.ts';
import { type LockedWebsite, lockWebsite } from '../../../../src/websites/write-website.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/database.ts';
import { inSoak } from '../../../support/soak.ts';

let database: FreshDatabase;
let actor: Actor;
beforeAll(async () => {
  database = await freshDatabase();
  const owner = { email: 'owner@example.com', plan: 'pro', password: 'a long password' } as const;
  const { account } = await createAccount(database.db, owner);
  const { id: accountId } = account;
  actor = { accountId, plan: 'pro', type: 'user', id: '1', name: 'owner', role: 'owner', scope: null };
});
afterAll(() => database.close());

const HEAD_REV = 5;
const createdAt = new Date('2030-01-01T00:00:00Z');

const label = fc.constantFrom(null, 'a', 'null');
const environments = fc.subarray<Environment>([...ENVIRONMENTS]);
const target = fc.oneof(
  fc.record({
    new_path: fc.constantFrom('/x', '/y', 'https://shop.example/z'),
    status_code: fc.constantFrom(301, 302),
  }),
  fc.constantFrom({ new_path: null, status_code: 410 }, { new_path: null, status_code: 451 }),
);
const literal = fc
  .constantFrom('/a', '/b', '/c', '/d/../d', '/e', '/f')
  .map((old_path) => ({ old_path, is_regex: false }));
const pattern = fc.constantFrom('^/p(.*)$', '^/q(.*)$').map((old_path) => ({ old_path, is_regex: true }));
const source = fc.oneof({ weight: 4, arbitrary: literal }, { weight: 1, arbitrary: pattern });

/** Revisions since which an existing redirect is targeted at each environment. */
const since = fc.record({
  inProd: fc.constantFrom(null, 1, 3),
  inStaging: fc.constantFrom(null, 2, 3),
  inDev: fc.constantFrom(null, 3),
});
const early = new Date('2030-02-01T00:00:00Z');
const late = new Date('2030-02-01T00:00:00.500Z');
const window = fc.constantFrom(
  ALWAYS,
  { activeFrom: early, activeUntil: null },
  { activeFrom: null, activeUntil: early },
  { activeFrom: early, activeUntil: late },
);
const bound = fc.constantFrom(null, '2030-02-01T00:00:00Z', '2030-02-01T01:00:00.500+01:00');
const existing = fc.record({ source, target, since, window, groupId: label, notes: label });
const entry = fc
  .tuple(
    source,
    target,
    fc.record(
      { group_id: label, notes: label, target_environments: environments, active_from: bound, active_until: bound },
      { requiredKeys: [] },
    ),
    fc.subarray(['status_code', 'is_regex']),
  )
  .map(([from, to, optional, omitted]) => {
    const value: Record<string, unknown> = { ...from, ...to, ...optional };
    for (const field of omitted) delete value[field];
    return value;
  });

type Existing = typeof existing extends fc.Arbitrary<infer T> ? T : never;

/** Creates a website with the redirects, of which it keeps the first for each key. */
async function createSite(rules: readonly Existing[]): Promise<number> {
  const { rows } = await database.db.execute<{ id: number }>(sql`
    insert into websites (account_id, name, head_rev, allowed_target_hosts)
    values (${actor.accountId}, 'site', ${HEAD_REV}, '{shop.example}') returning id`);
  const id = rows[0]?.id ?? 0;
  const site = { id, rev: 3, now: createdAt, allowedTargetHosts: ['shop.example'] };
  for (const rule of rules) {
    const fields: RedirectFields = {
      oldPath: rule.source.old_path,
      newPath: rule.target.new_path,
      statusCode: rule.target.status_code,
      isRegex: rule.source.is_regex,
      groupId: rule.groupId,
      notes: rule.notes,
      environments: [],
      ...rule.window,
    };
    const { row } = planCreation(fields, site);
    await database.db
      .insert(redirects)
      .values({ ...row, ...rule.since })
      .onConflictDoNothing();
  }
  return id;
}

async function rowsOf(websiteId: number): Promise<Map<string, RedirectRow>> {
  const rows = await database.db.select().from(redirects).where(eq(redirects.websiteId, websiteId));
  return new Map(rows.map((row) => [row.key, row]));
}

let imports = 0;

/** Stages and merges the entries. A dry run returns the bits of changes by line instead of writing. */
async function merge(
  websiteId: number,
  entries: readonly ImportEntry[],
  dryRun: boolean,
): Promise<{ website: LockedWebsite; merged: MergeResult; changes: Map<number, number> }> {
  const { db } = database;
  const importId = `imp_${++imports}`;
  return withClient(db, (reader) =>
    withClient(db, async (client) => {
      const stage = createStage(1, importId);
      await stage.open(reader);
      for (const each of entries) stage.write(each);
      await stage.close();
      await client.query('begin');
      const website = await lockWebsite(queryableOf(client), actor, websiteId);
      const input = { stage, mode: 'update', dryRun, onError: () => {} } as const;
      const merged = await mergeStage(client, reader, website, input);
      await client.query(dryRun ? 'rollback' : 'commit');
      const changes = new Map<number, number>();
      if (dryRun) {
        await storeVerdicts(queryableOf(reader), { importId, websiteId, stage: stage.table, mode: 'update' });
        const { rows } = await db.execute<{ line: number; changes: number }>(
          sql`select line, changes from ${verdictTable(importId)}`,
        );
        for (const row of rows) changes.set(row.line, row.changes);
      }
      await stage.drop(db);
      return { website, merged, changes };
    }),
  );
}

/** The fields after the entries of one key, as planChange and planCreation say; null if all of them are invalid. */
function fieldsAfter(
  before: RedirectRow | undefined,
  entries: readonly ImportEntry[],
  website: LockedWebsite,
): RedirectFields | null {
  let row = before ?? null;
  let isChanged = false;
  for (const { line: _line, key: _key, isUndecided: _isUndecided, oldPath, ...provided } of entries) {
    const defaults = { statusCode: 301, isRegex: false, groupId: null, notes: null, ...ALWAYS };
    const planned = row
      ? planChange(row, provided, website)
      : planCreation(
          {
            ...defaults,
            environments: ['production'],
            oldPath,
            ...(Object.fromEntries(Object.entries(provided).filter(([, value]) => value !== undefined)) as Pick<
              RedirectFields,
              'newPath'
            >),
          },
          website,
        );
    if (planned.issues.length > 0) continue;
    row = { id: 0, ...planned.row };
    isChanged = true;
  }
  return row && isChanged ? { ...row, environments: environmentsOf(row) } : null;
}

const COLUMNS: Record<RowChange, keyof RedirectFields> = {
  new_path: 'newPath',
  status_code: 'statusCode',
  is_regex: 'isRegex',
  group_id: 'groupId',
  notes: 'notes',
  target_environments: 'environments',
  active_from: 'activeFrom',
  active_until: 'activeUntil',
};

function bitsOf(changed: readonly (keyof RedirectFields)[]): number {
  return ROW_CHANGES.reduce((bits, name, at) => bits | (changed.includes(COLUMNS[name]) ? 1 << at : 0), 0);
}

test('merging a set of entries does to each redirect what planChange and planCreation plan', async () => {
  const values = { rules: fc.array(existing, { maxLength: 8 }), sent: fc.array(entry, { maxLength: 12 }) };
  await fc.assert(
    fc.asyncProperty(fc.record(values), async ({ rules, sent }) => {
      const websiteId = await createSite(rules);
      const before = await rowsOf(websiteId);
      const context = {
        allowedTargetHosts: ['shop.example'],
        servesRules: () => false,
        defaults: { groupId: undefined, environments: undefined },
      };
      const entries = sent
        .map((value, index) => checkEntry(value, index, context))
        .filter((checked): checked is ImportEntry => !isRowError(checked));
      const byKey = Map.groupBy(entries, ({ key }) => key);

      const { changes } = await merge(websiteId, entries, true);
      expect(await rowsOf(websiteId)).toEqual(before);
      const { website, merged } = await merge(websiteId, entries, false);
      const after = await rowsOf(websiteId);

      const expected = new Map(before);
      const touched = new Set<Environment>();
      let created = 0;
      for (const [key, ofKey] of byKey) {
        const old = before.get(key);
        const fields = fieldsAfter(old, ofKey, website);
        if (!fields) continue;
        if (old) {
          const planned = planChange(old, fields, website);
          expected.set(key, planned.row);
          for (const environment of planned.touched) touched.add(environment);
          if (ofKey.length === 1) expect(changes.get(ofKey[0]?.line ?? -1)).toBe(bitsOf(planned.changed));
        } else {
          created++;
          expected.set(key, { ...planCreation(fields, website).row, id: after.get(key)?.id ?? 0 });
          for (const environment of fields.environments) touched.add(environment);
        }
      }
      expect(after).toEqual(expected);
      expect(merged.created).toBe(created);
      expect(new Set(merged.touched)).toEqual(touched);
    }),
    { numRuns: inSoak(200, 30) },
  );
}, 120_000);

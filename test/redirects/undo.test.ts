/**
 * Random writes, imports and undos, undos of undos among them, against a plain model: the redirects, what each change
 * says it did, the history of each redirect, and the results of undos. Holds the rules of
 * src/redirects/undo/undo-plan.ts and src/redirects/rule/pattern-limit.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/account.ts';
import { asc, eq } from 'drizzle-orm';
import { redirects } from '../../src/db/schema/redirects.ts';
import { websites } from '../../src/db/schema/websites.ts';
import { readChangeItems } from '../../src/redirects/changes/change-items.ts';
import { listChanges, requireChange, type ShownChange } from '../../src/redirects/changes/find-changes.ts';
import { readHistory } from '../../src/redirects/changes/history.ts';
import { importJson } from '../../src/redirects/import/files/import-bulk.ts';
import { createImportPermits } from '../../src/platform/scheduling/import-permits.ts';
import { type RedirectFields, redirectOf, type RedirectRow } from '../../src/redirects/rule/redirect.ts';
import { undoChange, type Undone } from '../../src/redirects/undo/undo-change.ts';
import { bulkDeleteRedirects, bulkUpdateRedirects } from '../../src/redirects/write/bulk.ts';
import { createRedirect, deleteRedirect, updateRedirect } from '../../src/redirects/write/single.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { type Environment, ENVIRONMENTS } from '../../src/vocabulary/environment.ts';
import { DomainError } from '../../src/vocabulary/error.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { seeded } from '../support/random.ts';
import { inSoak } from '../support/soak.ts';

const SEEDS = inSoak([1, 2, 3, 4], [1]);
const OPERATIONS = 60;
const PATHS = ['/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h'];
const PATTERNS = ['^/p(.*)$', '^/q(.*)$'];
const NOON = new Date('2030-01-01T12:00:00Z');
const AFTERNOON = new Date('2030-01-01T15:00:00.500Z');

let database: FreshDatabase;
let actor: Actor;
beforeAll(async () => {
  database = await freshDatabase();
  const owner = { email: 'owner@example.com', plan: 'enterprise', password: 'a long password' } as const;
  const { account } = await createAccount(database.db, owner);
  const { id: accountId } = account;
  actor = { accountId, plan: 'enterprise', type: 'user', id: '1', name: 'owner', role: 'owner', scope: null };
});
afterAll(() => database.close());

/** The states of one redirect before and after a change. */
interface Touch {
  before: Values | null;
  after: Values | null;
}
type Values = ReturnType<typeof valuesOf>;
interface ModelChange {
  id: string;
  touched: Map<number, Touch>;
  undoes: string | null;
  undoneBy: string | null;
}

/** A redirect with its times, and without the revisions, which no client sees. */
function valuesOf(row: RedirectRow) {
  const { websiteId: _websiteId, ...values } = redirectOf(row);
  return values;
}

/** The fields that make a redirect another one: all but the times. */
function fieldsText(values: Values | null): string {
  if (values === null) return 'none';
  const { createdAt: _created, updatedAt: _updated, ...fields } = values;
  return JSON.stringify(fields);
}

async function read(websiteId: number): Promise<Map<number, Values>> {
  const rows = await database.db
    .select()
    .from(redirects)
    .where(eq(redirects.websiteId, websiteId))
    .orderBy(asc(redirects.id));
  return new Map(rows.map((row) => [row.id, valuesOf(row)]));
}

function differences(before: Map<number, Values>, after: Map<number, Values>): Map<number, Touch> {
  const touched = new Map<number, Touch>();
  for (const id of [...new Set([...before.keys(), ...after.keys()])].toSorted((a, b) => a - b)) {
    const touch = { before: before.get(id) ?? null, after: after.get(id) ?? null };
    if (fieldsText(touch.before) !== fieldsText(touch.after)) touched.set(id, touch);
  }
  return touched;
}

/** The redirects after an undo, and its result. */
function modelUndo(change: ModelChange, now: Map<number, Values>) {
  const next = new Map(now);
  const conflicts: [number, string][] = [];
  const counts = { restored: 0, recreated: 0, deleted: 0 };
  const open = [...change.touched].filter(([id, { after }]) => {
    const isSame = fieldsText(now.get(id) ?? null) === fieldsText(after);
    if (!isSame) conflicts.push([id, 'CHANGED_SINCE']);
    return isSame;
  });
  for (const [id, { before }] of open) if (!before && next.delete(id)) counts.deleted++;
  const taken = new Map([...next].map(([id, { oldPath }]) => [oldPath, id]));
  for (const [id, { before }] of open) {
    if (!before) continue;
    if ((taken.get(before.oldPath) ?? id) !== id) conflicts.push([id, 'CONFLICT']);
    else if (next.set(id, before) && now.has(id)) counts.restored++;
    else counts.recreated++;
  }
  return { next, counts, conflicts: conflicts.toSorted(([a], [b]) => a - b) };
}

const summaryOf = ({ restored, recreated, deleted, conflictCount, conflicts }: Undone) => ({
  counts: { restored, recreated, deleted },
  conflictCount,
  conflicts: conflicts.map(({ redirectId, code }) => [redirectId, code]),
});

function createScenario(websiteId: number, random: () => number) {
  const { db } = database;
  const deps = { db, instanceId: 1, permits: createImportPermits(db) };
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <T>(list: readonly T[]): T => {
    const value = list[below(list.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
  const label = (): string | null => pick([null, 'x', 'y']);
  const environments = (): Environment[] => ENVIRONMENTS.filter(() => random() < 0.5);
  function fields(): RedirectFields {
    const isRegex = random() < 0.1;
    const isGone = random() < 0.15;
    return {
      oldPath: pick(isRegex ? PATTERNS : PATHS),
      newPath: isGone ? null : pick(['/to', '/there']),
      statusCode: isGone ? 410 : pick([301, 302]),
      isRegex,
      groupId: label(),
      notes: label(),
      environments: environments(),
      activeFrom: random() < 0.2 ? NOON : null,
      activeUntil: random() < 0.2 ? AFTERNOON : null,
    };
  }
  async function importSome(): Promise<string | null> {
    const entries = Array.from({ length: 1 + below(8) }, fields).map((each) => ({
      old_path: each.oldPath,
      new_path: each.newPath,
      status_code: each.statusCode,
      is_regex: each.isRegex,
      ...(random() < 0.5 && { group_id: each.groupId, notes: each.notes }),
      ...(random() < 0.5 && { target_environments: each.environments }),
    }));
    const body = Buffer.from(JSON.stringify({ website_id: String(websiteId), redirects: entries }));
    const id = `imp_${websiteId}_${below(1e9)}`;
    return (
      await importJson(
        deps,
        actor,
        id,
        (async function* () {
          yield body;
        })(),
      )
    ).changeId;
  }
  /** One random write. Returns the id of its change; null if it changed nothing or was rejected. */
  async function write(ids: number[]): Promise<string | null> {
    const some = ids.filter(() => random() < 0.4);
    const operations: (() => Promise<string | null>)[] = [
      async () => (await createRedirect(db, actor, websiteId, fields())).changeId,
      importSome,
    ];
    if (ids.length > 0) {
      const change = () => {
        const { isRegex: _kind, ...all } = fields();
        return Object.fromEntries(Object.entries(all).filter(() => random() < 0.4));
      };
      operations.push(
        async () => (await updateRedirect(db, actor, pick(ids), change())).changeId,
        async () => (await updateRedirect(db, actor, pick(ids), { notes: label() })).changeId,
        async () => (await deleteRedirect(db, actor, pick(ids))).changeId,
      );
    }
    if (some.length > 0) {
      const selection = { ids: some };
      const update = { groupId: label(), environments: random() < 0.5 ? environments() : undefined };
      operations.push(
        async () =>
          (await bulkUpdateRedirects(db, actor, { selection, updates: { change: update }, bulk: {} })).changeIds[0] ??
          null,
        async () => (await bulkDeleteRedirects(db, actor, { selection, bulk: {} })).changeIds[0] ?? null,
      );
    }
    try {
      return await pick(operations)();
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  }
  const undo = (changeId: string, dryRun: boolean) => undoChange(deps, actor, { changeId, dryRun });
  return { write, undo, pick, random };
}

async function expectItems(model: ModelChange, change: ShownChange): Promise<void> {
  const expected = [...model.touched].map(([redirectId, touch]) => ({ redirectId, ...touch }));
  const found: object[] = [];
  let cursor: string | undefined;
  do {
    const page = await readChangeItems(database.db, change, { limit: 3, cursor });
    found.push(
      ...page.items.map(({ redirectId, before, after }) => ({
        redirectId,
        before: before && valuesOf(before),
        after: after && valuesOf(after),
      })),
    );
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(found).toEqual(expected);
  const sides = [...model.touched.values()];
  expect(change.counts).toEqual({
    created: sides.filter(({ before }) => !before).length,
    updated: sides.filter(({ before, after }) => before && after).length,
    deleted: sides.filter(({ after }) => !after).length,
  });
  const [only] = sides;
  expect(change.oldPath).toBe(sides.length === 1 ? (only?.after ?? only?.before)?.oldPath : null);
  expect([change.undoes, change.undoneBy]).toEqual([model.undoes, model.undoneBy]);
}

async function expectHistory(id: number, changes: ModelChange[]): Promise<void> {
  const expected = changes.toReversed().flatMap(({ id: changeId, touched }) => {
    const touch = touched.get(id);
    return touch ? [{ changeId, ...touch }] : [];
  });
  const found: object[] = [];
  let cursor: string | undefined;
  do {
    const page = await readHistory(database.db, actor, id, { limit: 2, cursor });
    found.push(
      ...page.history.map(({ change, before, after }) => ({
        changeId: change.id,
        before: before && valuesOf(before),
        after: after && valuesOf(after),
      })),
    );
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(found).toEqual(expected);
}

async function createSite(name: string): Promise<number> {
  const values = { accountId: actor.accountId, name, autoDeploy: false };
  const [site] = await database.db.insert(websites).values(values).returning({ id: websites.id });
  return site?.id ?? 0;
}

test.each(SEEDS)('changes, history and undo equal the model (seed %i)', async (seed) => {
  const { db } = database;
  const websiteId = await createSite('site');
  const { write, undo, pick, random } = createScenario(websiteId, seeded(seed));
  const changes: ModelChange[] = [];
  let now = await read(websiteId);
  let undone = 0;
  for (let step = 0; step < OPERATIONS; step++) {
    const target = changes.length > 0 && random() < 0.35 ? pick(changes.slice(-6)) : undefined;
    let changeId: string | null = null;
    if (!target) changeId = await write([...now.keys()]);
    else if (target.undoneBy) await expect(undo(target.id, random() < 0.5)).rejects.toMatchObject({ code: 'CONFLICT' });
    else {
      const expected = modelUndo(target, now);
      const summary = {
        counts: expected.counts,
        conflictCount: expected.conflicts.length,
        conflicts: expected.conflicts,
      };
      const dry = await undo(target.id, true);
      expect([summaryOf(dry), dry.changeId]).toEqual([summary, null]);
      expect(await read(websiteId)).toEqual(now);
      const real = await undo(target.id, false);
      expect(summaryOf(real)).toEqual(summary);
      expect(await read(websiteId)).toEqual(expected.next);
      ({ changeId } = real);
      if (changeId !== null) {
        undone++;
        target.undoneBy = changeId;
        const first = changes.find(({ id }) => id === target.undoes);
        if (first) first.undoneBy = null;
      }
    }
    const after = await read(websiteId);
    const touched = differences(now, after);
    expect(changeId !== null).toBe(touched.size > 0);
    if (changeId !== null) changes.push({ id: changeId, touched, undoes: target?.id ?? null, undoneBy: null });
    now = after;
  }
  expect(undone).toBeGreaterThan(5);
  const listed = await listChanges(db, actor, { websiteId, limit: 1_000, cursor: undefined });
  expect(listed.changes.map(({ id }) => id)).toEqual(changes.map(({ id }) => id).toReversed());
  for (const change of changes) await expectItems(change, await requireChange(db, actor, change.id));
  for (const id of new Set(changes.flatMap(({ touched }) => [...touched.keys()]))) await expectHistory(id, changes);
});

const RULE = { newPath: '/to', statusCode: 301, isRegex: true, groupId: null, notes: null, environments: [] };
const ALWAYS = { activeFrom: null, activeUntil: null };

test('of two undos of one change at once, one undoes it and the other finds it undone', async () => {
  const { db } = database;
  const websiteId = await createSite('race');
  const deps = { db, instanceId: 1, permits: createImportPermits(db) };
  for (let round = 0; round < 5; round++) {
    const { changeId } = await createRedirect(db, actor, websiteId, { ...RULE, ...ALWAYS, oldPath: '/r(.*)' });
    const input = { changeId: changeId ?? '', dryRun: false };
    const results = await Promise.allSettled([undoChange(deps, actor, input), undoChange(deps, actor, input)]);
    const [done, refused] = results.toSorted((a, b) => (a.status < b.status ? -1 : 1));
    expect(done).toMatchObject({ status: 'fulfilled', value: { deleted: 1, conflictCount: 0 } });
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } });
    expect(await read(websiteId)).toEqual(new Map());
  }
});

test('an undo brings back as many patterns as there is room for', async () => {
  const { db } = database;
  const websiteId = await createSite('patterns');
  const deps = { db, instanceId: 1, permits: createImportPermits(db) };
  const create = (oldPath: string) => createRedirect(db, actor, websiteId, { ...RULE, ...ALWAYS, oldPath });
  // Together they use up the work that the patterns of a website may cost.
  for (let n = 0; n < 53; n++) await create(`/.*v${n}.*[xy]`);
  const before = await read(websiteId);
  const selection = { ids: [...before.keys()].slice(0, 3) };
  const { changeIds } = await bulkDeleteRedirects(db, actor, { selection, bulk: {} });
  for (let n = 0; n < 2; n++) await create(`/.*w${n}.*[xy]`);
  const undo = (dryRun: boolean) => undoChange(deps, actor, { changeId: changeIds[0] ?? '', dryRun });
  const conflicts = selection.ids.slice(1).map((id) => [id, 'TOO_MANY_PATTERNS']);
  const expected = { counts: { restored: 0, recreated: 1, deleted: 0 }, conflictCount: 2, conflicts };
  expect(summaryOf(await undo(true))).toEqual(expected);
  expect(summaryOf(await undo(false))).toEqual(expected);
  const after = await read(websiteId);
  expect([after.size, after.get(selection.ids[0] ?? 0)]).toEqual([53, before.get(selection.ids[0] ?? 0)]);
});

test('an undo without effect, and a bulk write without effect, leave the revision as it is', async () => {
  const { db } = database;
  const websiteId = await createSite('revision');
  const deps = { db, instanceId: 1, permits: createImportPermits(db) };
  const { id, changeId } = await createRedirect(db, actor, websiteId, { ...RULE, ...ALWAYS, oldPath: '/r(.*)' });
  await updateRedirect(db, actor, id, { notes: 'since' });
  const undone = await undoChange(deps, actor, { changeId: changeId ?? '', dryRun: false });
  expect([undone.conflictCount, undone.changeId]).toEqual([1, null]);
  const same = { selection: { ids: [id] }, updates: { change: { notes: 'since' } }, bulk: {} };
  expect(await bulkUpdateRedirects(db, actor, same)).toMatchObject({ count: 1, changeIds: [] });
  const [site] = await db.select().from(websites).where(eq(websites.id, websiteId));
  expect(site?.headRev).toBe(2);
});

test('an undo leaves a redirect whose target host is no longer allowed, and is possible once', async () => {
  const { db } = database;
  const websiteId = await createSite('hosts');
  const deps = { db, instanceId: 1, permits: createImportPermits(db) };
  const allow = (host: string) =>
    db
      .update(websites)
      .set({ allowedTargetHosts: [host] })
      .where(eq(websites.id, websiteId));
  await allow('old.example');
  const rule = { ...RULE, ...ALWAYS, isRegex: false };
  const { id } = await createRedirect(db, actor, websiteId, {
    ...rule,
    oldPath: '/a',
    newPath: 'https://old.example/',
  });
  const { id: other } = await createRedirect(db, actor, websiteId, { ...rule, oldPath: '/b' });
  const { changeIds } = await bulkDeleteRedirects(db, actor, { selection: { ids: [id, other] }, bulk: {} });
  await allow('new.example');
  const undo = (dryRun: boolean) => undoChange(deps, actor, { changeId: changeIds[0] ?? '', dryRun });
  const conflicts = [[id, 'TARGET_HOST_NOT_ALLOWED']];
  const expected = { counts: { restored: 0, recreated: 1, deleted: 0 }, conflictCount: 1, conflicts };
  expect(summaryOf(await undo(true))).toEqual(expected);
  expect(summaryOf(await undo(false))).toEqual(expected);
  await expect(undo(true)).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(undo(false)).rejects.toMatchObject({ code: 'CONFLICT' });
});

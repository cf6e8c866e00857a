/**
 * Random decisions and undos of two people, compared with a plain model. Holds the rules of src/moves/decide
 * (write-decisions.ts, decide-rows.ts, undo-steps.ts). `MOVE_SEED` and `MOVE_ROUNDS` repeat or lengthen it.
 */
import { expect, onTestFinished, test } from 'vitest';
import { sharedTestDetour } from '../support/detour.ts';
import { countsOf, storeMove } from '../support/moves.ts';
import { seeded } from '../support/random.ts';
import { createSite } from '../support/site.ts';
import { inSoak } from '../support/soak.ts';

type Person = 'key' | 'user';

interface Decision {
  decision: string | null;
  target: string | null;
  status_code: number | null;
  by: Person | null;
  step: number | null;
}

interface ModelRow extends Decision {
  revision: number;
}

const UNDECIDED: Decision = { decision: null, target: null, status_code: null, by: null, step: null };
const ROWS = 8;
const ROUNDS = Number(process.env['MOVE_ROUNDS'] ?? inSoak(120, 40));
const SEED = Number(process.env['MOVE_SEED'] ?? 1);

/** Rows, and the steps of each person with the former decision of each changed row. */
function createModel() {
  const rows = new Map<string, ModelRow>(
    Array.from({ length: ROWS }, (_, at) => [`/row-${at}`, { ...UNDECIDED, revision: 0 }]),
  );
  const steps: Record<Person, { id: number; former: Map<string, Decision> }[]> = { key: [], user: [] };
  let lastStep = 0;

  const rowAt = (url: string): ModelRow => rows.get(url) ?? { ...UNDECIDED, revision: -1 };
  const isSame = (one: Decision, other: Omit<Decision, 'by' | 'step'>): boolean =>
    one.decision === other.decision && one.target === other.target && one.status_code === other.status_code;

  return {
    rows,
    decide(by: Person, given: [url: string, wanted: Omit<Decision, 'by' | 'step'>][]): number {
      const step = { id: ++lastStep, former: new Map<string, Decision>() };
      for (const [url, wanted] of given) {
        const { revision, ...former } = rowAt(url);
        if (isSame(former, wanted)) continue;
        step.former.set(url, former);
        const decided = { ...wanted, by: wanted.decision === null ? null : by };
        rows.set(url, { ...decided, step: step.id, revision: revision + 1 });
      }
      if (step.former.size > 0) steps[by].push(step);
      return step.former.size;
    },
    undo(by: Person, count: number): { updated: number; conflicts: string[] } {
      const changed = new Set<string>();
      const conflicts = new Set<string>();
      for (const { id, former } of steps[by].splice(-count).reverse()) {
        for (const [url, before] of former) {
          const row = rowAt(url);
          if (row.step !== id) conflicts.add(url);
          else {
            rows.set(url, { ...before, revision: changed.has(url) ? row.revision : row.revision + 1 });
            changed.add(url);
          }
        }
      }
      return { updated: changed.size, conflicts: [...conflicts].sort() };
    },
  };
}

test('decisions and undos of two people are those of the model, and the counts are exact', async () => {
  const detour = await sharedTestDetour();
  onTestFinished(() => detour.stop());
  const owner = await detour.account();
  const site = await createSite(owner, ['model.example']);
  const model = createModel();
  const urls = [...model.rows.keys()];
  const id = await storeMove(detour.db, site, { rows: urls.map((url, at) => ({ url, weight: at })) });
  const path = `/api/v1/websites/${site}/moves/${id}`;
  const send = async (by: Person, method: string, rest: string, body?: unknown) => {
    const asUser = { 'sec-fetch-site': 'same-origin' };
    const { status, body: answer } = await (by === 'key'
      ? owner.keyCall(method, path + rest, body)
      : owner.call(method, path + rest, body, asUser));
    expect([rest, body, status]).toEqual([rest, body, 200]);
    return answer;
  };
  const random = seeded(SEED);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const wanted = () => {
    const decision = pick([null, 'redirect', 'redirect', 'gone', 'keep', 'skip'] as const);
    const isRedirect = decision === 'redirect';
    return {
      decision,
      target: isRedirect ? pick(['/a', '/b']) : null,
      status_code: isRedirect ? pick([null, 302]) : decision === 'gone' ? pick([null, 451]) : null,
    };
  };
  const conflictUrls = (conflicts: { url: string }[]): string[] => conflicts.map(({ url }) => url);

  for (let round = 0; round < ROUNDS; round++) {
    const by = pick(['key', 'user'] as const);
    const kind = random();
    if (kind < 0.5) {
      const rows = urls
        .filter(() => random() < 0.4)
        .map((url) => ({ url, ...wanted(), revision: (model.rows.get(url)?.revision ?? 0) - Number(random() < 0.2) }));
      if (rows.length === 0) continue;
      const stale = rows.filter(({ url, revision }) => model.rows.get(url)?.revision !== revision);
      const fresh = rows.filter((row) => !stale.includes(row));
      const answer = await send(by, 'PUT', '/rows', { rows });
      expect(conflictUrls(answer.conflicts)).toEqual(stale.map(({ url }) => url).sort());
      const given = fresh.map(({ url, revision: _revision, ...row }): [string, typeof row] => [url, row]);
      expect(answer.updated).toBe(model.decide(by, given));
    } else if (kind < 0.7) {
      const filter = { decision: pick(['none', 'redirect', 'gone', 'keep', 'skip'] as const) };
      const decision = wanted();
      const is = filter.decision === 'none' ? null : filter.decision;
      const found = urls.filter((url) => model.rows.get(url)?.decision === is);
      const dry = await send(by, 'PUT', '/rows', { filter, ...decision, dry_run: true });
      const { updated } = await send(by, 'PUT', '/rows', { filter, ...decision });
      expect(updated).toBe(
        model.decide(
          by,
          found.map((url) => [url, decision]),
        ),
      );
      expect(dry.updated).toBe(updated);
    } else {
      const steps = pick([1, 1, 2, 5]);
      const answer = await send(by, 'POST', '/undo', { steps });
      const undone = model.undo(by, steps);
      expect([answer.updated, conflictUrls(answer.conflicts)]).toEqual([undone.updated, undone.conflicts]);
    }
    const { rows } = await send('key', 'GET', '/rows?sort=url');
    const shown = (rows as Record<string, unknown>[]).map(
      ({ url, decision, target, status_code, decided_by, revision }) => [
        ...[url, decision, target, status_code, (decided_by as { type: string } | null)?.type ?? null, revision],
      ],
    );
    const expected = [...model.rows].map(([url, row]) => [
      ...[url, row.decision, row.target, row.status_code, row.by, row.revision],
    ]);
    expect(shown).toEqual(expected);
    const { stored, counted } = await countsOf(detour.db, id);
    expect(stored).toEqual(counted);
  }
});

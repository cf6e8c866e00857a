/** Undos of random changes, undos among them, and what the model says of them. */
import { expect } from 'vitest';
import type { Answer } from '../detour.ts';
import { send } from '../detour.ts';
import { type Change, type Draft, fieldsText, keyOf, kept } from './model.ts';
import type { Body, Run } from './run.ts';
import { commitAll, type Publication } from './writes.ts';

/** Plans an undo: its result, and the redirects afterwards. */
export function planUndo({ model }: Pick<Run, 'model'>, change: Change) {
  const drafts = new Map<number, Draft>(kept(model.redirects.values()).map((draft) => [draft.id ?? 0, draft]));
  const conflicts: { redirect_id: string; code: string }[] = [];
  const counts = { restored: 0, recreated: 0, deleted: 0 };
  const open = [...change.touched].filter(([id, { after }]) => {
    const isSame = fieldsText(drafts.get(id)?.fields) === fieldsText(after?.fields);
    if (!isSame) conflicts.push({ redirect_id: String(id), code: 'CHANGED_SINCE' });
    return isSame;
  });
  for (const [id, { before }] of open) if (!before && drafts.delete(id)) counts.deleted++;
  const holders = new Map([...drafts].map(([id, { fields }]) => [keyOf(fields), id]));
  for (const [id, { before }] of open) {
    if (!before) continue;
    if ((holders.get(keyOf(before.fields)) ?? id) !== id) conflicts.push({ redirect_id: String(id), code: 'CONFLICT' });
    else {
      counts[drafts.has(id) ? 'restored' : 'recreated']++;
      drafts.set(id, { id, fields: before.fields, times: before.times });
    }
  }
  conflicts.sort((a, b) => Number(a.redirect_id) - Number(b.redirect_id));
  // The model writes no expectations, so that an undo takes none back.
  const undo = { ...counts, conflicts: conflicts.length, expectations: 0 };
  return { drafts: [...drafts.values()], counts: undo, conflicts };
}

/** Checks the response to an undo, dry or not. */
export function expectUndo(run: Run, change: Change, { status, body, text }: Answer<Body>): void {
  expect(status, text).toBe(change.undoneBy === null ? 200 : 409);
  if (status === 409) return;
  const { counts, conflicts } = planUndo(run, change);
  const found = body.conflicts.map(({ redirect_id, code }: Body) => ({ redirect_id, code }));
  expect([body.undo, found]).toEqual([counts, conflicts]);
}

const undoPath = ({ id }: Change): string => `/api/v1/changes/${id}/undo`;

/** A dry run of the undo of a random change. */
export async function checkDryRun(run: Run): Promise<void> {
  if (run.model.changes.length === 0) return;
  const change = run.pick(run.model.changes.slice(-8));
  expectUndo(run, change, await run.call('POST', undoPath(change), { dry_run: true }));
}

export async function undo(run: Run): Promise<Publication[]> {
  if (run.model.changes.length === 0) return [];
  const change = run.pick(run.model.changes.slice(-6));
  // At once through both processes: one undoes, and the other finds that it is done.
  const isRace = run.chance(0.3);
  const headers = { authorization: `Bearer ${run.owner.key}` };
  const answers: Answer<Body>[] = isRace
    ? await Promise.all(run.addresses.map((address) => send<Body>(address, 'POST', undoPath(change), {}, headers)))
    : [await run.call('POST', undoPath(change), {})];
  const [first, second] = answers.toSorted((a, b) => a.status - b.status || (a.body.change_id === null ? 1 : -1));
  if (!first) throw new Error('a call has an answer');
  expectUndo(run, change, first);
  if (first.status !== 200) return [];
  const id: string | null = first.body.change_id;
  if (second) expect([second.status, second.body.change_id ?? null]).toEqual([id === null ? 200 : 409, null]);
  const publications = await commitAll(run, { id, kind: 'undo', undoes: change.id }, planUndo(run, change).drafts);
  if (id !== null) {
    change.undoneBy = id;
    const original = run.model.changes.find((each) => each.id === change.undoes);
    if (original) original.undoneBy = null;
  }
  return publications;
}

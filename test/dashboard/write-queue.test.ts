/** Decisions that the desk of a move sends, and rows that it then shows. */
import { expect, test } from 'vitest';
import type { MoveRow } from '../../dashboard/src/api/client/wire.ts';
import type { RowDecision } from '../../dashboard/src/api/moves.ts';
import { createWriteQueue, type Decided, type Stored } from '../../dashboard/src/screens/moves/write-queue.ts';

const NOTHING: Decided = { decision: null, target: null, status_code: null };
const GONE: Decided = { ...NOTHING, decision: 'gone' };
const KEEP: Decided = { ...NOTHING, decision: 'keep' };

const row = (url: string, revision = 0, decided = NOTHING): Stored => ({
  url,
  ...decided,
  revision,
  rule: null,
  decided_by: null,
});

/** A queue with the calls that it sends; `answer` says what the service does with the rows of one. */
function createQueue(answer: (rows: RowDecision[]) => Promise<MoveRow[]> = async () => []) {
  const sent: RowDecision[][] = [];
  const shown = new Map<string, Stored>();
  const failures: string[] = [];
  const show = (rows: Stored[]): void => rows.forEach((each) => shown.set(each.url, each));
  const queue = createWriteQueue({
    async send(rows) {
      sent.push(rows);
      const changed = await answer(rows);
      const conflicts = changed.map((each) => ({ url: each.url, code: 'ROW_CHANGED' as const, row: each }));
      return { updated: rows.length - changed.length, conflicts, conflict_count: changed.length };
    },
    onSent: show,
    onFailed(rows, thrown) {
      show(rows);
      failures.push(String(thrown));
    },
  });
  return { queue, sent, shown, failures };
}

test('a decision is sent with the revision that the user saw, and later ones with that of the decision before', async () => {
  const first = Promise.withResolvers<MoveRow[]>();
  let calls = 0;
  const { queue, sent, shown } = createQueue(() => (calls++ === 0 ? first.promise : Promise.resolve([])));
  queue.put(row('/a', 7), GONE);
  const end = queue.flush();
  // The screen still has the revision 7 while the first decision is on its way.
  await Promise.resolve();
  queue.put(row('/a', 7, GONE), KEEP);
  first.resolve([]);
  await end;
  // A list that was read before the decisions, or a row that is not loaded any more.
  queue.put(row('/a', 7, KEEP), NOTHING);
  await queue.flush();
  expect(sent.flat().map(({ decision, revision }) => [decision, revision])).toEqual([
    ['gone', 7],
    ['keep', 8],
    [null, 9],
  ]);
  expect(shown.get('/a')).toMatchObject({ ...NOTHING, revision: 10 });
  expect(queue.newer(row('/a', 7))).toMatchObject({ ...NOTHING, revision: 10 });
  expect(queue.newer(row('/a', 10))).toBeUndefined();
});

test('a decision that is undone before it is sent is not sent, and does not change the revision', async () => {
  const { queue, sent } = createQueue();
  queue.put(row('/a', 1, KEEP), GONE);
  queue.put(row('/a', 1, GONE), KEEP);
  await queue.flush();
  expect(sent).toEqual([]);
  expect(queue.isEmpty()).toBe(true);
  queue.put(row('/a', 1, KEEP), GONE);
  await queue.flush();
  expect(sent.flat()).toMatchObject([{ url: '/a', decision: 'gone', revision: 1 }]);
});

test('rows that could not be decided are shown with their former decision', async () => {
  const { queue, shown, failures } = createQueue(() => Promise.reject(new Error('no connection')));
  queue.put(row('/a', 3, KEEP), GONE);
  queue.put(row('/b'), GONE);
  await queue.flush();
  expect(failures).toEqual(['Error: no connection']);
  expect([...shown.values()]).toMatchObject([
    { url: '/a', ...KEEP, revision: 3 },
    { url: '/b', ...NOTHING, revision: 0 },
  ]);
});

test("another user's decision is shown, and a decision that was made before the user saw it is not sent", async () => {
  const theirs = { ...row('/a', 5, KEEP), decided_by: { type: 'user', id: 'usr_2', name: 'Ada' } } as MoveRow;
  const answer = Promise.withResolvers<MoveRow[]>();
  const { queue, sent, shown } = createQueue(() => answer.promise);
  queue.put(row('/a', 4), GONE);
  const end = queue.flush();
  await Promise.resolve();
  queue.put(row('/a', 4, GONE), NOTHING);
  answer.resolve([theirs]);
  await end;
  expect(sent).toHaveLength(1);
  expect(shown.get('/a')).toEqual(theirs);
  queue.put(theirs, GONE);
  await queue.flush();
  expect(sent[1]).toMatchObject([{ decision: 'gone', revision: 5 }]);
});

/** Sends decisions in the background, so that users need not wait between two rows. */
import type { DecidedRows, MoveRow } from '../../api/client/wire.ts';
import type { RowDecision } from '../../api/moves.ts';

export type Decided = Pick<MoveRow, 'decision' | 'target' | 'status_code'>;

/** A row as the service has it. */
export type Stored = RowDecision & Pick<MoveRow, 'rule' | 'decided_by'>;

export interface QueueOptions {
  send: (rows: RowDecision[]) => Promise<DecidedRows>;
  /** called after each call with its rows, except those that wait again, and those that another user has changed */
  onSent: (rows: Stored[], conflicts: DecidedRows['conflicts']) => void;
  /** called with rows that could not be changed, except those that wait again */
  onFailed: (rows: Stored[], thrown: unknown) => void;
}

const DELAY_MS = 250;
/** The service takes 1,000. */
const MAX_ROWS = 200;

/**
 * Decisions that wait or are being sent, one call after the other. A row that is decided again while it waits is sent
 * once, or not at all if it is as before; while it is being sent, it follows with its new revision.
 */
export function createWriteQueue({ send, onSent, onFailed }: QueueOptions) {
  const waiting = new Map<string, Decided>();
  /** rows that were decided here */
  const stored = new Map<string, Stored>();
  const sending = new Set<string>();
  let running: Promise<void> | undefined;
  let endDelay = (): void => {};

  async function run(): Promise<void> {
    await new Promise<void>((resolve) => {
      endDelay = resolve;
      setTimeout(resolve, DELAY_MS);
    });
    while (waiting.size > 0) await sendSome();
    running = undefined;
  }

  async function sendSome(): Promise<void> {
    const rows = [...waiting].slice(0, MAX_ROWS).flatMap(([url, decided]) => {
      waiting.delete(url);
      const row = stored.get(url);
      return row && !isSame(row, decided) ? [{ url, ...decided, revision: row.revision }] : [];
    });
    if (rows.length === 0) return;
    const settled = (): Stored[] => rows.flatMap(({ url }) => (waiting.has(url) ? [] : (stored.get(url) ?? [])));
    for (const { url } of rows) sending.add(url);
    try {
      const { conflicts } = await send(rows);
      for (const row of rows) stored.set(row.url, { ...row, rule: null, decided_by: null, revision: row.revision + 1 });
      for (const { url, row } of conflicts) {
        // The user has not seen the decision of the other one yet.
        waiting.delete(url);
        if (row) stored.set(url, row);
        else stored.delete(url);
      }
      onSent(settled(), conflicts);
    } catch (thrown) {
      const former = settled();
      if (former.length > 0) onFailed(former, thrown);
    } finally {
      sending.clear();
    }
  }

  return {
    /** Decides a row, which the user sees as `row`. */
    put(row: Stored, decided: Decided): void {
      // The row on the screen is older while an earlier decision of it is being sent, and newer after a reload.
      const known = stored.get(row.url);
      if (!known || known.revision < row.revision) stored.set(row.url, row);
      waiting.set(row.url, decided);
      running ??= run();
    },
    /** The row as it was stored here after it was read; undefined if it was not. */
    newer({ url, revision }: Stored): Stored | undefined {
      const known = stored.get(url);
      return known && known.revision > revision ? known : undefined;
    },
    /** Whether a decision about the row waits or is being sent. */
    has: (url: string): boolean => waiting.has(url) || sending.has(url),
    /** Sends without the delay. Resolves when everything is sent. */
    async flush(): Promise<void> {
      endDelay();
      while (running) await running;
    },
    isEmpty: (): boolean => running === undefined,
  };
}

const isSame = (row: Stored, { decision, target, status_code: status }: Decided): boolean =>
  row.rule === null && row.decision === decision && row.target === target && row.status_code === status;

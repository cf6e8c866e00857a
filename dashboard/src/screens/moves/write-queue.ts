/** Sends decisions in the background, so that users need not wait between two rows. */
import type { DecidedRows, MoveRow } from '../../api/client/wire.ts';
import type { RowDecision } from '../../api/moves.ts';

export type Decided = Pick<MoveRow, 'decision' | 'target' | 'status_code'>;

export interface QueueOptions {
  send: (rows: RowDecision[]) => Promise<DecidedRows>;
  /** the revision that the service has for a row */
  revisionOf: (url: string) => number;
  /** called with the rows that were stored, and those that another user has changed */
  onSent: (stored: RowDecision[], conflicts: DecidedRows['conflicts']) => void;
  /** called with rows that were not stored */
  onFailed: (rows: string[], thrown: unknown) => void;
}

const DELAY_MS = 250;
/** The service takes 1,000. */
const MAX_ROWS = 200;

/**
 * Decisions that wait or are being sent, one call after the other. A row that is decided again while it waits is sent
 * once; while it is being sent, it follows with its new revision.
 */
export function createWriteQueue({ send, revisionOf, onSent, onFailed }: QueueOptions) {
  const waiting = new Map<string, Decided>();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    while (waiting.size > 0) {
      const rows = [...waiting].slice(0, MAX_ROWS).map(([url, decided]) => {
        waiting.delete(url);
        return { url, ...decided, revision: revisionOf(url) };
      });
      try {
        const { conflicts } = await send(rows);
        const isConflict = new Set(conflicts.map(({ url }) => url));
        onSent(
          rows.filter(({ url }) => !isConflict.has(url)),
          conflicts,
        );
      } catch (thrown) {
        onFailed(
          rows.map(({ url }) => url),
          thrown,
        );
      }
    }
    running = undefined;
  }

  return {
    put(url: string, decided: Decided): void {
      waiting.set(url, decided);
      running ??= run();
    },
    /** Resolves when everything is sent. */
    async flush(): Promise<void> {
      while (running) await running;
    },
    isEmpty: (): boolean => running === undefined,
  };
}

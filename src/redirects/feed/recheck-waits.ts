/** Checks requests again that wait while their account changes who may wait, in any process. */
import { createLoop, type Loop } from '../../platform/scheduling/loop.ts';
import { DomainError } from '../../vocabulary/error.ts';

/** A change takes effect within a second: this time, the statement and the check. */
const EVERY_MS = 500;
/** Checks at a time: an account may have 1,000 requests that wait. */
const AT_A_TIME = 20;

export interface RecheckedWait {
  accountId: number;
  /** the changes of the account that the request was checked after */
  seen: string;
  /** Throws a DomainError if the request may no longer wait. */
  recheck: () => Promise<void>;
  fail: (error: DomainError) => void;
}

export interface RecheckOptions {
  /** Returns a digest of the recent changes of each account that has some. */
  readChanges: (accountIds: number[]) => Promise<Map<number, string>>;
  onError: (error: unknown) => void;
}

/** Creates the loop, which runs while requests wait. Errors of the database only delay it. */
export function createRechecks({ readChanges, onError }: RecheckOptions, waits: () => RecheckedWait[]): Loop {
  async function tick(): Promise<void> {
    const changes = await readChanges([...new Set(waits().map(({ accountId }) => accountId))]);
    const seenNow = ({ accountId }: RecheckedWait): string => changes.get(accountId) ?? '';
    const due = waits().filter((wait) => seenNow(wait) !== wait.seen);
    for (let at = 0; at < due.length; at += AT_A_TIME)
      await Promise.all(due.slice(at, at + AT_A_TIME).map((wait) => recheck(wait, seenNow(wait))));
  }
  return createLoop({ name: 'checking requests that wait', tick, everyMs: EVERY_MS, onError });
}

async function recheck(wait: RecheckedWait, seen: string): Promise<void> {
  try {
    await wait.recheck();
    wait.seen = seen;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    wait.fail(error);
  }
}

import { DomainError } from '../../vocabulary/error.ts';

/** A look at a million rules takes seconds of one processor; whoever asks meanwhile waits no longer than this. */
const WAIT_MS = 10_000;

let isTaken = false;
const waiting: (() => void)[] = [];

/**
 * Runs the work when no other work on the health of a website runs in this process, in the order asked: it is bounded in
 * time and memory for one at a time. BUSY where its turn does not come within 10 s.
 */
export async function inTurn<T>(work: () => Promise<T>, waitMs = WAIT_MS): Promise<T> {
  if (isTaken) await turnWithin(waitMs);
  isTaken = true;
  try {
    return await work();
  } finally {
    // The turn goes to whoever waits longest, without becoming free in between.
    const next = waiting.shift();
    if (next) next();
    else isTaken = false;
  }
}

function turnWithin(waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const take = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(take), 1);
      const details = 'The health of another website is being looked at; try again in a few seconds';
      reject(new DomainError('BUSY', 'The service is busy', { details, retryAfter: 5 }));
    }, waitMs);
    waiting.push(take);
  });
}

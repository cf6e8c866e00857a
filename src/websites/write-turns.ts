/**
 * How many writes of one account a process works on at a time. Each holds a connection, also while it waits for a website that is being
 * imported into: without a bound, twenty such writes of one account would leave every other account without a connection.
 */
const AT_A_TIME = 8;

const running = new Map<number, { count: number; waiting: (() => void)[] }>();

/** Runs the work when the account has a turn free, in the order asked. False after `withinMs` without one; nothing was done then. */
export async function inWriteTurn<T>(
  accountId: number,
  withinMs: number,
  work: () => Promise<T>,
): Promise<T | false> {
  const account = running.get(accountId) ?? { count: 0, waiting: [] };
  running.set(accountId, account);
  if (account.count < AT_A_TIME) account.count++;
  else if (!(await turnWithin(account.waiting, withinMs))) return false;
  try {
    return await work();
  } finally {
    // The turn goes to whoever waits longest, without becoming free in between.
    const next = account.waiting.shift();
    if (next) next();
    else if (--account.count === 0) running.delete(accountId);
  }
}

function turnWithin(waiting: (() => void)[], withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const take = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(take), 1);
      resolve(false);
    }, withinMs);
    waiting.push(take);
  });
}

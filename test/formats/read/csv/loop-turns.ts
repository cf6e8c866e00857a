/**
 * Returns the longest turn of the event loop while `work` runs, in milliseconds of processor time: a busy machine does
 * not change the result.
 */
export async function longestTurnMs(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let running = true;
  let last = threadMs();
  function turn(): void {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(turn);
  }
  setImmediate(turn);
  await work();
  running = false;
  return longest;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

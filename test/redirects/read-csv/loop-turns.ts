/**
 * The most milliseconds of processor time that one turn of the event loop takes while `work` runs. Processor time and
 * not the clock's, so that a busy machine makes no difference.
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

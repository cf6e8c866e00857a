/** Turns of hosts in the memory of a test, in the time of `virtualTime`: what run/host-turns.ts does in PostgreSQL. */
import { BlockedFor } from '../../src/checks/probe/request.ts';
import { createKeyedSemaphore } from '../../src/platform/scheduling/semaphore.ts';
import type { virtualTime } from './check-world.ts';

const GAP_MS = 500;
const MAX_HOLD_MS = 600_000;

/** Two requests a second and two at once for each host. A host that asks for more than 10 minutes is not waited for. */
export function memoryTurns({ clock, sleep }: ReturnType<typeof virtualTime>) {
  const withPermit = createKeyedSemaphore<string>(2);
  const nextAt = new Map<string, number>();
  const heldUntil = new Map<string, number>();
  const now = (): number => clock.now().getTime();

  async function wait(host: string, signal: AbortSignal): Promise<void> {
    const held = heldUntil.get(host) ?? 0;
    if (held - now() > MAX_HOLD_MS) throw new BlockedFor((held - now()) / 1_000);
    const at = Math.max(now(), nextAt.get(host) ?? 0, held);
    nextAt.set(host, at + GAP_MS);
    if (at > now()) await sleep(at - now(), signal);
  }

  return {
    turn: (host: string, signal: AbortSignal): Promise<() => void> =>
      new Promise((resolve, reject) => {
        withPermit(host, async () => {
          await wait(host, signal);
          await new Promise<void>((end) => resolve(end));
        }).catch(reject);
      }),
    holdOff: (host: string, seconds: number | null): void =>
      void heldUntil.set(host, Math.max(heldUntil.get(host) ?? 0, now() + 1_000 * (seconds ?? 60))),
  };
}

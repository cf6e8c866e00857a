/** Asks a target: at the rate of its hosts, as far as robots.txt allows, and with the headers of the own origin. */
import type { Db } from '../../db/connection/client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Egress } from '../../platform/network/egress.ts';
import { DEFAULT_RATE } from '../../vocabulary/checks.ts';
import type { Check } from '../check.ts';
import type { OwnOrigin } from '../probe/follow.ts';
import type { probe, ProbeDeps, Probed } from '../probe/probe.ts';
import type { HostTurns } from './host-turns.ts';
import type { RobotsCache } from './robots-cache.ts';
import type { SendGate } from './send-gate.ts';
import type { QueuedTarget } from './target-queue.ts';

export interface AskDeps {
  db: Db;
  clock: Clock;
  probe: typeof probe;
  egress: Egress;
  userAgent: string;
  turns: HostTurns;
  robots: RobotsCache;
}

export interface Asked {
  check: Check;
  own: OwnOrigin | undefined;
  signal: AbortSignal;
}

/** Returns a function that asks a target, and never rejects. */
export function createAsker(deps: AskDeps, { check, own, signal }: Asked, gate: SendGate) {
  signal.addEventListener('abort', gate.open);
  const { egress, clock, userAgent, turns, robots } = deps;
  const ownHost = own && new URL(own.origin).hostname;
  const shared = {
    ...{ egress, clock, userAgent },
    holdOff: turns.holdOff,
    robots: (origin: string) =>
      robots.read({ origin, own: origin === own?.origin ? own : undefined, websiteId: check.websiteId }, signal),
  };
  const kind = { softTest: check.kind === 'targets', firstOnly: check.kind === 'sources' };
  return async ({ url, isOwn }: QueuedTarget): Promise<Probed> => {
    let leave = (): void => {};
    const turn: ProbeDeps['turn'] = (host, until) => {
      leave();
      const enter = async (): Promise<void> => void (leave = await gate.enter());
      return turns.turn({ host, rate: host === ownHost ? check.rate : DEFAULT_RATE, enter }, until);
    };
    const target = { url, ...kind, ...(isOwn && own && { own }) };
    const probed = await deps.probe({ ...shared, turn }, target, signal).catch(() => FAILED);
    gate.answered();
    leave();
    return probed;
  };
}

/** A fault of this service. */
const FAILED: Probed = {
  state: 'error',
  reason: 'internal',
  status: null,
  location: null,
  end: null,
  note: null,
  retryAfterSeconds: null,
  durationMs: 0,
};

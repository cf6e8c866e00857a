/** Runs a claimed check until nothing of it is due. Any process can go on with it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../db/connection/client.ts';
import { type Clock, stopwatch } from '../../platform/clock.ts';
import type { Egress } from '../../platform/network/egress.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { type CheckState, DEFAULT_RATE, NONCE_HEADER } from '../../vocabulary/checks.ts';
import type { Check } from '../check.ts';
import { createNonces } from '../nonce.ts';
import { openCredentials } from '../credentials.ts';
import type { OwnOrigin } from '../probe/follow.ts';
import type { probe, ProbeDeps, Probed } from '../probe/probe.ts';
import { type Claim, failCheck, isAnotherDue, readClaimed, releaseClaim, renewClaim } from './claim-check.ts';
import { AT_ONCE, type HostTurns } from './host-turns.ts';
import { judge } from './judge.ts';
import type { RobotsCache } from './robots-cache.ts';
import { createSendGate, type SendGate } from './send-gate.ts';
import { createTargetQueue, type QueuedTarget } from './target-queue.ts';
import { type Answered, completeCheck, writeResults } from './write-results.ts';

/** The most results of one statement, and the number from which they are written: a crash loses what is not written. */
const BATCH_SIZE = 100;
const WRITE_AT = 20;
/** Targets in flight, most of which wait for the turn of their host. */
const MAX_IN_FLIGHT = 1_024;
/** A result is written within this time. */
const FLUSH_MS = 1_000;
/** Between two reads of the queue, which take at most a twentieth of the time. */
const REFILL_MS = 1_000;
const REFILL_SHARE = 20;
const TICK_MS = 200;
/** After this time, a check ends its turn if another one waits for a process. */
const SLICE_MS = 30_000;
const RENEW_MS = 2_000;

export interface RunDeps {
  db: Db;
  clock: Clock;
  probe: typeof probe;
  egress: Egress;
  userAgent: string;
  turns: HostTurns;
  robots: RobotsCache;
  secretBox: SecretBox;
  sliceMs?: number;
}

/** A request of a target, with those of its redirects and of the soft test. `waiting`: its host asks to wait. */
export type AnswerCount = [outcome: CheckState | 'waiting', ms: number];

type Answers = AsyncGenerator<AnswerCount[]>;

/**
 * Asks the targets that are due, and yields their answers when they are stored. Ends early if the lease is lost, because
 * the check was stopped or another process has it, and after a time if other checks wait.
 */
export async function* runCheck(deps: RunDeps, claim: Claim): Answers {
  const { db, clock } = deps;
  const check = await readClaimed(db, claim);
  if (!check) return;
  const controller = new AbortController();
  let isRenewing = false;
  const renew = async (): Promise<void> => {
    if (isRenewing) return;
    isRenewing = true;
    const isHeld = await renewClaim(db, claim, clock.now()).finally(() => (isRenewing = false));
    if (!isHeld) controller.abort();
  };
  // A database that is away fails the next write too.
  const renewing = setInterval(() => void renew().catch(() => {}), RENEW_MS);
  try {
    const own = await ownOf(deps, check);
    if (own === 'unreadable') {
      const error = 'The credentials cannot be opened; send them again (PUT .../checks/credentials)';
      return await failCheck(db, claim, error, clock.now());
    }
    yield* askTargets(deps, check, claim, own, controller.signal);
    if (controller.signal.aborted) return;
    await completeCheck(db, check, claim, clock.now());
    await releaseClaim(db, claim);
  } finally {
    clearInterval(renewing);
    controller.abort();
  }
}

type Own = OwnOrigin | undefined;

/** The own origin with the headers for it. */
async function ownOf({ db, secretBox }: RunDeps, { websiteId, baseUrl }: Check): Promise<Own | 'unreadable'> {
  if (baseUrl === null) return undefined;
  const credentials = await openCredentials(db, secretBox, websiteId, new URL(baseUrl).hostname);
  if (credentials === 'unreadable') return 'unreadable';
  const nonce = await createNonces(db)(websiteId);
  return {
    origin: baseUrl,
    headers: { [NONCE_HEADER]: nonce, ...(credentials && { authorization: credentials }) },
  };
}

/** The time that a check has if others wait. It then ends: it launches no more targets, and after a while it is over. */
function createSlice({ db, clock, sliceMs = SLICE_MS }: RunDeps) {
  let endAt = stopwatch() + sliceMs;
  let isEnding = false;
  return {
    isEnding: () => isEnding,
    async isOver(): Promise<boolean> {
      if (stopwatch() < endAt) return false;
      if (isEnding) return true;
      isEnding = await isAnotherDue(db, clock.now());
      endAt = stopwatch() + sliceMs / 3;
      return false;
    },
  };
}

async function* askTargets(deps: RunDeps, check: Check, claim: Claim, own: Own, signal: AbortSignal): Answers {
  const { db, clock } = deps;
  const queue = createTargetQueue(db, check.id, AT_ONCE);
  const gate = createSendGate(BATCH_SIZE);
  signal.addEventListener('abort', gate.open);
  const ask = createAsker(deps, check, own, gate, signal);
  let answered: Answered[] = [];
  let inFlight = 0;
  let wake = (): void => {};
  let [fillAt, writtenAt] = [-Infinity, stopwatch()];
  const slice = createSlice(deps);

  function launch(target: QueuedTarget): void {
    inFlight++;
    void ask(target).then((probed) => {
      inFlight--;
      queue.answered(target);
      if (!signal.aborted) answered.push({ target, result: judge(check.kind, target, probed, clock.now()) });
      wake();
    });
  }

  /** Returns what was written; undefined if the lease is lost. */
  async function write(): Promise<AnswerCount[] | undefined> {
    const batch = answered.slice(0, BATCH_SIZE);
    answered = answered.slice(BATCH_SIZE);
    const isHeld = await writeResults(db, check, claim, batch, clock.now());
    for (const { result } of batch) queue.forget(result.n);
    gate.written(batch.length);
    writtenAt = stopwatch();
    return isHeld ? batch.map(countOf) : undefined;
  }

  /** Returns true if the queue has no target of a host that may be asked. */
  function launchAll(): boolean {
    while (inFlight < MAX_IN_FLIGHT && answered.length < BATCH_SIZE) {
      const target = queue.take();
      if (!target) return true;
      launch(target);
    }
    return false;
  }

  async function refill(): Promise<void> {
    const startedAt = stopwatch();
    if (await queue.refill(clock.now())) launchAll();
    fillAt = stopwatch() + Math.max(REFILL_MS, REFILL_SHARE * (stopwatch() - startedAt));
  }

  while (!signal.aborted) {
    // Targets whose time is far away are asked again later.
    if ((await slice.isOver()) && answered.length === 0) return;
    if (slice.isEnding() || launchAll()) {
      const isIdle = inFlight === 0 && answered.length === 0;
      if (slice.isEnding() && isIdle) return;
      if (!slice.isEnding() && (isIdle || stopwatch() >= fillAt)) await refill();
      if (isIdle && inFlight === 0) return;
    }
    const isTime = answered.length >= WRITE_AT || inFlight === 0 || stopwatch() - writtenAt >= FLUSH_MS;
    if (answered.length > 0 && isTime) {
      const written = await write();
      if (!written) return;
      yield written;
    } else {
      await Promise.race([new Promise<void>((resolve) => (wake = resolve)), pause(TICK_MS)]);
    }
  }
}

const countOf = ({ result: { state, waitingSince, probed } }: Answered): AnswerCount => [
  state === null || waitingSince !== null ? 'waiting' : state,
  probed.durationMs,
];

/** Returns a function that asks a target, and never rejects. */
function createAsker(deps: RunDeps, check: Check, own: Own, gate: SendGate, signal: AbortSignal) {
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

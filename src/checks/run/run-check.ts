/** Runs a claimed check until nothing of it is due. Any process can go on with it. */
import { setTimeout as pause } from 'node:timers/promises';
import { stopwatch } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { CheckState } from '../../vocabulary/checks.ts';
import { ownHeaders } from '../credentials.ts';
import { type AskDeps, type Asked, createAsker } from './ask-target.ts';
import { type Claim, createSlice, failCheck, readClaimed, releaseClaim, renewClaim } from './claim-check.ts';
import { AT_ONCE } from './host-slots.ts';
import { judge } from './judge.ts';
import { createSendGate } from './send-gate.ts';
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
const RENEW_MS = 2_000;

export interface RunDeps extends AskDeps {
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
    const { websiteId, baseUrl } = check;
    const headers = baseUrl === null ? {} : await ownHeaders(db, deps.secretBox, websiteId, new URL(baseUrl).hostname);
    if (headers === 'unreadable') {
      const error = 'The credentials cannot be opened; send them again (PUT .../checks/credentials)';
      return await failCheck(db, claim, error, clock.now());
    }
    const own = baseUrl === null ? undefined : { origin: baseUrl, headers };
    yield* askTargets(deps, { check, claim, own, signal: controller.signal });
    if (controller.signal.aborted) return;
    await completeCheck(db, check, claim, clock.now());
    await releaseClaim(db, claim);
  } finally {
    clearInterval(renewing);
    controller.abort();
  }
}

interface Run extends Asked {
  claim: Claim;
}

async function* askTargets(deps: RunDeps, { claim, ...asked }: Run): Answers {
  const { db, clock } = deps;
  const { check, signal } = asked;
  const queue = createTargetQueue(db, check.id, AT_ONCE);
  const gate = createSendGate(BATCH_SIZE);
  const ask = createAsker(deps, asked, gate);
  let answered: Answered[] = [];
  let inFlight = 0;
  let wake = (): void => {};
  let [fillAt, writtenAt] = [-Infinity, stopwatch()];
  const slice = createSlice(deps, deps.sliceMs);

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

/** Turns the answer to a target into a result of its check. Pure. */
import type { CheckKind, CheckState } from '../../vocabulary/checks.ts';
import type { Probed } from '../probe/probe.ts';
import type { QueuedTarget } from './target-queue.ts';

/** An error is confirmed by the last one, an hour after the first. */
const MAX_TRIES = 3;
const RETRY_MS = 1_800_000;
/** A host that asks to wait is waited for this long. */
const MAX_WAITING_MS = 600_000;
const DEFAULT_WAIT_MS = 60_000;
/** Faults of this service say nothing about the target. */
const FAULTS: readonly (string | null)[] = ['internal', 'interrupted'];
const FAULT_MS = 60_000;

export interface Result {
  n: number;
  /** null: its host asks to wait, and the target has no state yet */
  state: CheckState | null;
  reason: string | null;
  confirmed: boolean;
  tries: number;
  /** when it is asked again; null: never */
  dueAt: Date | null;
  waitingSince: Date | null;
  probed: Probed;
  checkedAt: Date;
}

export function judge(kind: CheckKind, target: QueuedTarget, probed: Probed, now: Date): Result {
  const { n, tries } = target;
  const base = { n, tries, probed, checkedAt: now, confirmed: true, dueAt: null, waitingSince: null };
  const later = waitOf(target, probed, now);
  if (later) return { ...base, ...later, state: target.state, reason: target.reason, confirmed: false };
  if (FAULTS.includes(probed.reason) && tries + 1 < MAX_TRIES) {
    const dueAt = new Date(now.getTime() + FAULT_MS);
    return { ...base, state: target.state, reason: target.reason, confirmed: false, tries: tries + 1, dueAt };
  }
  const { state, reason } = verdict(kind, target, probed);
  // The address was not asked, which says nothing about the target.
  if (reason === 'address_not_allowed') return { ...base, state, reason, confirmed: false };
  if (state !== 'error') return { ...base, state, reason };
  const tried = tries + 1;
  if (tried >= MAX_TRIES) return { ...base, state, reason, tries: tried, confirmed: !FAULTS.includes(reason) };
  const retryMs = Math.max(RETRY_MS, 1_000 * (probed.retryAfterSeconds ?? 0));
  return { ...base, state, reason, tries: tried, confirmed: false, dueAt: new Date(now.getTime() + retryMs) };
}

/** When a target is asked again whose host asks to wait; undefined if it asks for too long. */
function waitOf({ waitingSince }: QueuedTarget, { state, reason, retryAfterSeconds }: Probed, now: Date) {
  if (state !== 'blocked' || (retryAfterSeconds === null && reason !== 'http_429')) return undefined;
  const since = waitingSince ?? now;
  const waitMs = retryAfterSeconds === null ? DEFAULT_WAIT_MS : 1_000 * Math.max(1, retryAfterSeconds);
  const dueAt = new Date(now.getTime() + waitMs);
  return dueAt.getTime() - since.getTime() > MAX_WAITING_MS ? undefined : { dueAt, waitingSince: since };
}

interface Verdict {
  state: CheckState;
  reason: string | null;
}

function verdict(kind: CheckKind, target: QueuedTarget, probed: Probed): Verdict {
  const { state, reason, status } = probed;
  if (kind === 'sources') return sourceVerdict(target, probed);
  if (kind === 'urls' && state === 'ok' && status !== 200) return { state: 'moved', reason: `http_${status}` };
  return { state, reason };
}

/** Compares the first answer with what the rule says. */
function sourceVerdict({ url, expectedStatus, expectedLocation }: QueuedTarget, probed: Probed): Verdict {
  const { status, location, reason } = probed;
  if (status === null) return { state: 'error', reason: reason ?? 'no_answer' };
  const isSame = status === expectedStatus && sameAddress(location, expectedLocation, url);
  if (isSame) return { state: 'ok', reason: null };
  if (status >= 500 || probed.state === 'blocked') return { state: 'error', reason: `http_${status}` };
  const isRule = (status >= 300 && status < 400) || status === 410 || status === 451;
  if (!isRule) return { state: 'not_served', reason: `http_${status}` };
  return { state: 'differs', reason: status === expectedStatus ? 'location' : `http_${status}` };
}

function sameAddress(location: string | null, expected: string | null, base: string): boolean {
  if (location === null || expected === null) return location === expected;
  return addressOf(location, base) === addressOf(expected, base);
}

const addressOf = (location: string, base: string): string => URL.parse(location, base)?.href ?? location;

import type { Scope } from '../../../../src/vocabulary/actor.ts';
import type { ApiKey } from '../../api/client/wire.ts';
import { DAY_MS } from '../../format.ts';

const SOON_MS = 14 * DAY_MS;

export const SCOPE_LABEL: Record<Scope, string> = {
  write: 'Read and write',
  read: 'Read only',
};

export type KeyState = 'working' | 'ending' | 'replaced' | 'expired' | 'revoked';

/** Whether requests can use the key; `ending`: it expires within two weeks. `replaced`: a roll has chosen its end. */
export function stateOf(
  {
    revoked_at: revoked,
    expires_at: expires,
    replaced_by: successor,
  }: Pick<ApiKey, 'revoked_at' | 'expires_at' | 'replaced_by'>,
  now: number = Date.now(),
): KeyState {
  if (revoked !== null) return 'revoked';
  if (expires === null) return 'working';
  const left = Date.parse(expires) - now;
  if (left <= 0) return 'expired';
  if (successor !== null) return 'replaced';
  return left < SOON_MS ? 'ending' : 'working';
}

export const isWorking = (key: ApiKey): boolean => ['working', 'ending', 'replaced'].includes(stateOf(key));

const MAX_NAMED = 3;

/** The websites that a key reaches, or that a notice is about, in words. */
export function reachOf(
  { website_ids: ids }: Pick<ApiKey, 'website_ids'>,
  websites: readonly { id: number; name: string }[],
): string {
  if (ids === null) return 'All websites';
  if (ids.length === 0) return 'No website: the chosen ones are deleted';
  const names = ids.map((id) => websites.find((website) => website.id === id)?.name ?? `Website ${id}`);
  const others = names.length - MAX_NAMED;
  return `Only ${names.slice(0, MAX_NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Hours for which a rolled key stays valid. */
export const OVERLAPS = [
  [24, 'In 1 day'],
  [1, 'In 1 hour'],
  [168, 'In 7 days'],
  [0, 'Now: it leaked'],
] as const;

/** Lifetimes of a new key. */
export const LIFETIMES = [
  ['never', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In 1 year'],
  ['day', 'On a specific day'],
] as const;

export type Lifetime = (typeof LIFETIMES)[number][0];

/** The `expires_at` of a lifetime; null: never. A specific day ends in the browser's time zone. */
export function expiryOf(lifetime: Lifetime, day: string, now: number = Date.now()): string | null {
  if (lifetime === 'never') return null;
  return wholeSeconds(lifetime === 'day' ? new Date(`${day}T23:59:59`) : new Date(now + Number(lifetime) * DAY_MS));
}

const wholeSeconds = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

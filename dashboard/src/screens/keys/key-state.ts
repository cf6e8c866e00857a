import type { Scope } from '../../../../src/vocabulary/actor.ts';
import type { ApiKey } from '../../api/wire.ts';

const SOON_MS = 14 * 24 * 3_600_000;

export const SCOPE_WORDS: Record<Scope, string> = {
  write: 'Read and write',
  read: 'Read only',
};

export type KeyState = 'working' | 'ending' | 'expired' | 'revoked';

/** Whether programs can use the key; `ending`: no longer than two weeks from now. */
export function stateOf(
  { revoked_at: revoked, expires_at: expires }: Pick<ApiKey, 'revoked_at' | 'expires_at'>,
  now: number = Date.now(),
): KeyState {
  if (revoked !== null) return 'revoked';
  if (expires === null) return 'working';
  const left = Date.parse(expires) - now;
  if (left <= 0) return 'expired';
  return left < SOON_MS ? 'ending' : 'working';
}

export const isWorking = (key: ApiKey): boolean => stateOf(key) === 'working' || stateOf(key) === 'ending';

import { wrongParameter } from '../../vocabulary/error.ts';

/** The query of a follower, as the service reads it (surfaces/key-api/feed-wire.ts). */
export interface FollowerQuery {
  since: number | undefined;
  history: string | undefined;
  options: string | undefined;
  waitMs: number;
  /** what the service needs for the same feed, in one order: followers with the same state share a response */
  text: string;
}

const MAX_WAIT_SECONDS = 60;

/** Reads the query. Throws INVALID_PARAMETER. `agent`, `kind` and `serving` are for the service only. */
export function readQuery(query: URLSearchParams): FollowerQuery {
  const read = (name: string, pattern: RegExp, rule: string): string | undefined => {
    const value = query.get(name) ?? undefined;
    if (value !== undefined && !pattern.test(value)) throw wrongParameter(name, rule);
    return value;
  };
  const since = read('since', /^\d{1,9}$/, 'must be a whole number of at most 9 digits');
  const history = read('history', /^[\w-]{0,100}$/, 'must be the history of a version');
  const options = read('options', /^[\w-]{0,100}$/, 'must be the options_checksum of a version');
  const wait = read('wait', /^\d{1,2}$/, `must be a whole number from 0 to ${MAX_WAIT_SECONDS}`);
  const parts = { since, history, options: since === undefined ? undefined : options };
  const sent = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return {
    since: since === undefined ? undefined : Number(since),
    history,
    options,
    waitMs: Math.min(Number(wait ?? 0), MAX_WAIT_SECONDS) * 1_000,
    text: sent.length === 0 ? '' : `?${sent.join('&')}`,
  };
}

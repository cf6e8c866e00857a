import { createHash } from 'node:crypto';
import { DomainError } from '../vocabulary/error.ts';
import type { RulesPointer } from '../deployments/live/rules-sql.ts';
import type { CurrentRules } from './current-rules.ts';
import { partsOf } from '../deployments/publish/diff-cursor.ts';

/** Where the next page begins, and of which moment it is. */
export interface HealthPosition {
  rev: number;
  maxId: number;
  /** the last ids shown of loops, chains, shadowed, duplicates */
  after: number[];
}

const LISTS = 4;

type Rules = Omit<CurrentRules, 'ruleset'>;

/** The list that a cursor belongs to: it ends where the website's options or hosts change, as other rules may then meet. */
function nameOf({ website, environment, isUndeployed }: Rules): string {
  const { caseSensitive, trailingSlash, query } = website;
  const hosts = website.hosts.filter((host) => host.environment === environment).map((host) => host.hostname);
  const options = JSON.stringify([caseSensitive, trailingSlash, query, hosts, isUndeployed]);
  return `${website.id} ${environment} ${createHash('sha256').update(options).digest('base64url').slice(0, 12)}`;
}

export function cursorAt({ rev, maxId, after }: HealthPosition, rules: Rules): string {
  return Buffer.from(JSON.stringify([nameOf(rules), rev, maxId, ...after])).toString('base64url');
}

/**
 * The position that a cursor names. INVALID_PARAMETER where it is none of this list. Where nothing was ever deployed, no past of the
 * redirects need be kept, so that the list ends with their next change.
 */
export function positionOf(cursor: string, rules: Rules): HealthPosition {
  const [name, rev = -1, maxId = -1, ...rest] = partsOf(cursor);
  const isCurrent =
    name === nameOf(rules) && rev <= rules.at.rulesRev && (!rules.isUndeployed || rev === rules.at.rulesRev);
  const numbers = [rev, maxId, ...rest];
  if (isCurrent && rest.length === LISTS && numbers.every((each) => Number.isSafeInteger(each) && each >= 0))
    return { rev, maxId, after: rest };
  throw new DomainError('INVALID_PARAMETER', 'The cursor is not valid', {
    details:
      "cursor: use next_cursor of the page before; where the website's options or hosts have changed since, begin again without one",
  });
}

/** The moment of a position, of the same environment. */
export const momentAt = ({ rev, maxId }: HealthPosition, now: RulesPointer): RulesPointer => ({
  ...now,
  rulesRev: rev,
  rulesMaxId: maxId,
});

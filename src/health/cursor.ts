import { createHash } from 'node:crypto';
import type { RulesPointer } from '../deployments/live/database/rules-sql.ts';
import { decodeCursor, encodeCursor, isCount } from '../platform/cursor.ts';
import type { CurrentRules } from './current-rules.ts';

/** The start of the next page, and the moment of the report. */
export interface HealthPosition {
  rev: number;
  maxId: number;
  /** the last ids on the page: loops, chains, shadowed, duplicates */
  after: number[];
}

const LISTS = 4;
const REMEDY =
  "use next_cursor of the previous page; if the website's options or hosts have changed since, start again without a cursor";

type Rules = Omit<CurrentRules, 'ruleset'>;

/**
 * The name of the report that a cursor belongs to. Includes the options and hosts, because they decide which rules
 * match.
 */
function nameOf({ website, environment, isUndeployed }: Rules): string {
  const { caseSensitive, trailingSlash, query } = website;
  const hosts = website.hosts.filter((host) => host.environment === environment).map((host) => host.hostname);
  const options = JSON.stringify([caseSensitive, trailingSlash, query, hosts, isUndeployed]);
  return `${website.id} ${environment} ${createHash('sha256').update(options).digest('base64url').slice(0, 12)}`;
}

export function encodeHealthCursor({ rev, maxId, after }: HealthPosition, rules: Rules): string {
  return encodeCursor(nameOf(rules), [rev, maxId, ...after]);
}

/**
 * Decodes a cursor of this report. Throws INVALID_PARAMETER for any other. Before the first deployment former revisions
 * are not retained, so each change of the redirects ends the report.
 */
export function decodeHealthCursor(cursor: string, rules: Rules): HealthPosition {
  const { rulesRev } = rules.at;
  return decodeCursor(
    cursor,
    nameOf(rules),
    (values) => {
      if (values.length !== 2 + LISTS || !values.every(isCount)) return undefined;
      const [rev = 0, maxId = 0, ...after] = values;
      if (rev > rulesRev || (rules.isUndeployed && rev !== rulesRev)) return undefined;
      return { rev, maxId, after };
    },
    REMEDY,
  );
}

/** The pointer to the rules of a position, in the same environment. */
export const pointerAt = ({ rev, maxId }: HealthPosition, now: RulesPointer): RulesPointer => ({
  ...now,
  rulesRev: rev,
  rulesMaxId: maxId,
});

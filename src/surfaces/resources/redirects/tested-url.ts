/** The response to a test of one URL. */
import { z } from 'zod';
import type { Queryable } from '../../../db/connection/client.ts';
import type { TestedAddress, TestedSite } from '../../../deployments/live/test-url.ts';
import { EnvironmentName, Timestamp, component, part } from '../../../http/wire/fields.ts';
import { readFinalTargets } from '../../../redirects/list/target-state.ts';
import type { Hop, Journey } from '../../../resolver/follow.ts';
import { fallbackLocation } from '../../../resolver/location.ts';
import type { Match, MatchRequest } from '../../../resolver/rule.ts';
import { TARGET_STATES } from '../../../vocabulary/checks.ts';
import { URL_STATES } from '../../../vocabulary/urls.ts';
import type { Dialect, Wire } from '../dialect.ts';
import { windowFields } from './wire.ts';

/** A rule, and the Location it sends for the tested URL. */
export function matchSchema<W extends Wire>({ id }: Dialect<W>) {
  return z.object({
    redirect_id: id.describe('The id of the redirect.'),
    old_path: z.string().describe('Its path or pattern.'),
    is_regex: z.boolean().describe('Whether it is a pattern.'),
    status_code: z.int().describe('Its status.'),
    location: z.string().nullable().describe('The `Location` of its response; null if it has no target.'),
    scheduled: z.boolean().describe('Whether it has a window (`active_from`, `active_until`).'),
  });
}

/** A rule that does not match because of its window. */
export function inactiveSchema<W extends Wire>(dialect: Dialect<W>) {
  return component(dialect.named('InactiveMatch'), { ...matchSchema(dialect).shape, ...windowFields })
    .nullable()
    .describe('The rule that would match within its window; otherwise null.');
}

export const inactiveBody = (match: Match | undefined) => (match ? { ...matchBody(match), ...windowOf(match) } : null);

/** One hop of a chain; `id` is the schema of its `redirect_id`. */
export function hopSchema<Id extends z.ZodType>(
  id: Id,
  idText = 'The id of the redirect; null for a host that redirects as a whole.',
) {
  return z.object({
    url: z.string().describe('The requested URL.'),
    redirect_id: id.nullable().describe(idText),
    status_code: z.int().describe('The status of this hop.'),
    location: z.string().nullable().describe('The `Location` of this hop; null if it has none.'),
    scheduled: z.boolean().optional().describe('Present and true if the redirect has a window.'),
  });
}

/** The last finding of a live check at the end of a chain. */
export const FinalTargetPart = part(
  'What the last live check found at the target of the last redirect; null if it was not checked.',
  {
    state: z.enum(TARGET_STATES).describe('What it found, such as `ok` or `dead`.'),
    reason: z.string().nullable().describe('Why, such as `http_404`.'),
    checked_at: Timestamp.describe('When it was checked.'),
  },
).nullable();

/** A page of the website at the end of a chain. */
export const FinalPage = z
  .enum([...URL_STATES, 'unknown'])
  .nullable()
  .describe(
    'What the lists of living pages say of `final_url`: `living`, `removed`, `known` if it was never in one, or `unknown`. Null for another end, and if the environment has no list.',
  );

/** How a chain ends. */
export const ChainOutcome = z
  .enum(['end', 'loop', 'too-many', 'gone', 'external'])
  .describe(
    'How the chain ends: `end` no further rule matches, `gone` 410 or 451, `external` another host, `loop`, or `too-many` more than 20 hops.',
  );

export function testedSchema<W extends Wire>(dialect: Dialect<W>) {
  const Rule = matchSchema(dialect).extend({
    kind: z
      .enum(['query', 'exact', 'slash', 'pattern'])
      .describe(
        'How it matches: a required query parameter, the exact path, the path except for a trailing slash, or a pattern.',
      ),
    outcome: z
      .enum(['fired', 'self', 'beaten'])
      .describe(
        '`fired`: it matched. `beaten`: another rule has precedence. `self`: skipped, because it would redirect to the requested URL itself.',
      ),
  });
  return component(dialect.named('TestedAddress'), {
    environment: EnvironmentName.describe('The environment.'),
    version: z.int().nullable().describe('The version; null for `against: "draft"`, which is no version yet.'),
    path: z.string().describe('The canonical path that was looked up.'),
    query: z.string().nullable().describe('The query of the URL; null if it has none.'),
    at: Timestamp.describe('The time of the test. Redirects outside of their window do not exist.'),
    match: Rule.nullable().describe('The rule that matches; otherwise null.'),
    beaten: z.array(Rule).describe('Rules that also match and do not win, in order of precedence: the first 100.'),
    beaten_count: z.int().describe('How many rules also match and do not win.'),
    inactive: inactiveSchema(dialect),
    status_code: z.int().describe('The status that a visitor gets.'),
    location: z.string().nullable().describe('The `Location` that a visitor gets; otherwise null.'),
    hops: z.array(hopSchema(dialect.id)).describe('Every redirect, in order.'),
    outcome: ChainOutcome,
    final_url: z.string().describe('The URL at which the chain ends, or which a loop returns to.'),
    final_target: FinalTargetPart,
  });
}

/** Writes the result of a test, with what is known of its end. */
export async function testedBody(
  db: Queryable,
  { rules: { ruleset }, site }: TestedSite,
  { matches, inactive, followed, fallbackUrl, ...tested }: TestedAddress,
) {
  const [finalTarget = null] = await readFinalTargets(db, { websiteId: site.id, ruleset }, [followed]);
  const rules = matches.map(matchBody);
  const winner = rules.find((rule) => rule.outcome === 'fired') ?? null;
  return {
    ...tested,
    match: winner,
    beaten: rules.filter((rule) => rule !== winner),
    inactive: inactiveBody(inactive),
    ...responseOf(followed, winner, () => fallbackOf(fallbackUrl, tested)),
    hops: followed.hops.map(hopBody),
    outcome: followed.outcome,
    finalUrl: followed.finalUrl,
    finalTarget,
  };
}

export function matchBody<M extends Match>({ id, key, window, ...match }: M) {
  return { ...match, redirectId: id, oldPath: key, scheduled: window !== undefined };
}

const dateOf = (time: number | null | undefined): Date | null => (time == null ? null : new Date(time));

const windowOf = ({ window }: Match) => ({ activeFrom: dateOf(window?.from), activeUntil: dateOf(window?.until) });

/** The response that a visitor gets: of a domain redirect, of the rule that matches, or of no rule. */
export function responseOf(
  { hops: [first] }: Journey,
  match: { statusCode: number; location: string | null } | null | undefined,
  fallback: () => string | null,
): { statusCode: number; location: string | null } {
  if (first?.ruleId === null) return { statusCode: first.statusCode, location: first.location };
  if (match) return { statusCode: match.statusCode, location: match.location };
  const location = fallback();
  return { statusCode: location === null ? 404 : 302, location };
}

/** The Location of a request that no rule matches; null on a website without a fallback. */
export function fallbackOf(
  fallbackUrl: string | null,
  { path, query }: Pick<MatchRequest, 'path' | 'query'>,
): string | null {
  return fallbackUrl === null ? null : fallbackLocation(fallbackUrl, path, query);
}

export function hopBody({ ruleId, isScheduled, ...hop }: Hop) {
  return { ...hop, redirectId: ruleId, ...(isScheduled && { scheduled: true }) };
}

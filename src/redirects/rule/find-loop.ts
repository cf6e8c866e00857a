/**
 * Does a rule close a loop of literal rules? Reads the current rules inside the writer's transaction, which has locked
 * the website. The resolver follows the hops over only those rules that can match each address (one index range per
 * hop), so the cost grows with the chain and not with the website.
 */
import { sql } from '../../db/drizzle.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import { targetColumn } from '../../deployments/live/database/rules-sql.ts';
import { splitTarget } from '../../resolver/spelling/canonical-path.ts';
import { foldPath } from '../../resolver/spelling/case-fold.ts';
import { runInSlices } from '../../platform/scheduling/time-slice.ts';
import { addressOf, followHops, walkHops } from '../../resolver/follow.ts';
import { growingRound, sampleRequests } from '../../resolver/growing-loop.ts';
import { createOwnHosts } from '../../resolver/own-hosts.ts';
import type { MatchOptions, Rule } from '../../resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../../resolver/ruleset.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { invalid, type Issue } from '../../vocabulary/error.ts';
import { readHosts, type WebsiteRow } from '../../websites/website.ts';

const NO_HOSTS = createOwnHosts([], 'production');
/** Addresses that are checked. A longer chain is not an error; the health report lists it. */
const MAX_ADDRESSES = 100;
/** Addresses in the error message. */
const MAX_SHOWN = 20;
/** Addresses in the message of a growing loop. */
const MAX_GROWING_SHOWN = 3;

/**
 * Throws REDIRECT_LOOP, with the addresses, if the stored rule with this id and key redirects back to itself in one of
 * `environments`. For a rule that is not stored, `draft` is the rule as it would be stored.
 */
export async function assertNoLoop(
  tx: Queryable,
  website: WebsiteRow,
  rule: { id: number; key: string },
  environments: Environment[],
  draft?: Rule,
): Promise<void> {
  for (const environment of environments) {
    const loop = await loopFrom({ tx, website, environment, draft }, rule);
    if (!loop) continue;
    const { path, message, code } = loopIssue(environment, loop);
    throw invalid(path, message, code);
  }
}

/** The error of a rule that closes a loop of these addresses, the first again at the end. */
export function loopIssue(environment: Environment, addresses: string[]): Issue {
  const shown = [...addresses.slice(0, MAX_SHOWN), ...(addresses.length > MAX_SHOWN ? ['...'] : [])].join(' -> ');
  const message = `in ${environment} the rule would redirect back to itself: ${shown}`;
  return { path: 'new_path', message, code: 'REDIRECT_LOOP' };
}

/**
 * Throws REDIRECT_LOOP, with the first addresses, if a pattern redirects to ever longer addresses that it matches again.
 * Tries sample values of its groups.
 */
export async function assertNotGrowing(website: MatchOptions, rule: Rule): Promise<void> {
  const samples = sampleRequests(rule);
  if (samples.length === 0) return;
  const draft = emptyRuleset().fork();
  draft.add(rule);
  const rules = draft.seal();
  for (const start of samples) {
    // A target on a host has no samples, so hosts do not matter.
    const journey = await runInSlices(followHops(rules, start, website, NO_HOSTS));
    if (!growingRound(journey)) continue;
    const shown = journey.hops.slice(0, MAX_GROWING_SHOWN).map(({ url }) => url);
    const message = `the pattern would redirect to itself without end: ${shown.join(' -> ')} -> ...`;
    throw invalid('new_path', message, 'REDIRECT_LOOP');
  }
}

interface Search {
  tx: Queryable;
  website: WebsiteRow;
  environment: Environment;
  draft: Rule | undefined;
}

/**
 * The addresses from the rule's own to one that repeats. Undefined if the chain ends, or if the loop does not contain
 * the rule and so existed before it.
 */
async function loopFrom(search: Search, rule: { id: number; key: string }): Promise<string[] | undefined> {
  const { website } = search;
  const start = splitTarget(rule.key);
  const hasTargets = website.allowedTargetHosts.length > 0;
  const hosts = createOwnHosts(hasTargets ? await readHosts(search.tx, website) : [], search.environment);
  const addresses = [addressOf(start)];
  const ruleIds: number[] = [];
  let rules = await rulesetFor(search, start.path);
  const steps = walkHops((request) => rules.match(request, website), start, hosts);
  for (const { match, next } of steps) {
    if (!next) return undefined;
    ruleIds.push(match.id);
    const address = addressOf(next);
    const first = addresses.indexOf(address);
    addresses.push(address);
    if (first >= 0) return ruleIds.includes(rule.id, first) ? addresses : undefined;
    if (addresses.length === MAX_ADDRESSES) return undefined;
    rules = await rulesetFor(search, next.path);
  }
  return undefined;
}

/** The literal rules that can match the path under the website's options, and the draft. */
async function rulesetFor({ tx, website, environment, draft }: Search, path: string): Promise<Ruleset> {
  const twin = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  const paths = website.trailingSlash === 'ignore' && twin !== '' ? [path, twin] : [path];
  const isTargeted = sql`${sql.identifier(targetColumn(environment))} is not null`;
  // '?' and '@' are neighbours in byte order, so the range holds the rules of this path that require a query.
  const conditions = paths.flatMap((each) => [sql`key = ${each}`, sql`(key >= ${`${each}?`} and key < ${`${each}@`})`]);
  // A draft is checked at each pause in typing, too often for a scan; the write does it.
  if (!website.caseSensitive && !draft) conditions.push(...paths.map(equalsIgnoringCase));
  const stored = await queryRows<Omit<Rule, 'isRegex'>>(tx, {
    isConstant: true,
  })`select id, key, new_path, status_code from redirects
      where website_id = ${website.id} and not is_regex and ${isTargeted} and (${sql.join(conditions, sql` or `)})`;
  const rules = emptyRuleset().fork();
  if (draft) rules.add(draft);
  for (const rule of stored) {
    if (rule.id !== draft?.id && rule.key !== draft?.key) rules.add({ ...rule, isRegex: false });
  }
  return rules.seal();
}

/**
 * No index helps if the website ignores case. One scan (about 0.2 s for 1,000,000 rules) finds the paths that are equal
 * except for the case of ASCII letters. The resolver compares the rest, so each run of non-ASCII bytes counts as equal.
 */
function equalsIgnoringCase(path: string): ReturnType<typeof sql> {
  const skeleton = foldPath(path)
    .toLowerCase()
    .replace(/(%[89a-f][0-9a-f])+/g, '%');
  return sql`regexp_replace(lower(split_part(key, '?', 1)), '(%[89a-f][0-9a-f])+', '%', 'g') = ${skeleton}`;
}

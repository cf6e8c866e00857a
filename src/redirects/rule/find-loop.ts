/**
 * Would this rule close a loop of literal rules? Answered from the working state inside the writer's transaction, where the
 * website is locked: the hops are followed with the resolver itself, over only those rules that can match each address (an index
 * range a hop), so the cost follows the chain and not the website.
 */
import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { canonicalPath } from '../../resolver/canonical-path.ts';
import { foldPath } from '../../resolver/case-fold.ts';
import type { Rule } from '../../resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../../resolver/ruleset.ts';
import { targetColumn } from '../../deployments/live/rules-sql.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { invalid } from '../../vocabulary/error.ts';
import type { WebsiteRow } from '../../websites/website.ts';

/** Hops that are followed; a longer chain is reported by the health of the website, not refused. */
const MAX_HOPS = 100;
/** Hops that the refusal shows. */
const SHOWN_HOPS = 20;

/**
 * Throws REDIRECT_LOOP, with the hops, where the stored rule of this id and key leads back to itself in one of `environments`. `draft` is
 * that rule as it would be stored, for whoever only asks.
 */
export async function refuseLoop(
  tx: Queryable,
  website: WebsiteRow,
  rule: { id: number; key: string },
  environments: Environment[],
  draft?: Rule,
): Promise<void> {
  for (const environment of environments) {
    const hops = await loopFrom(tx, website, environment, rule, draft);
    if (!hops) continue;
    const shown = [...hops.slice(0, SHOWN_HOPS), ...(hops.length > SHOWN_HOPS ? ['...'] : [])].join(' -> ');
    throw invalid(
      'new_path',
      `in ${environment} the rule would lead back to itself: ${shown}`,
      'REDIRECT_LOOP',
    );
  }
}

/**
 * The addresses from the rule's own back to one that was there before; undefined where the chain ends, or goes round without the
 * rule (that loop was there before it).
 */
async function loopFrom(
  tx: Queryable,
  website: WebsiteRow,
  environment: Environment,
  rule: { id: number; key: string },
  draft: Rule | undefined,
): Promise<string[] | undefined> {
  const hosts = await ownHosts(tx, website.id, environment);
  const hops: string[] = [];
  const fired: number[] = [];
  let url = rule.key;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const { path, query } = addressOf(url);
    const address = query === null ? path : `${path}?${query}`;
    const first = hops.indexOf(address);
    hops.push(address);
    if (first >= 0) return fired.includes(rule.id, first) ? hops : undefined;
    const rules = await rulesetFor(tx, website, environment, path, draft);
    const match = rules.match({ path, query }, website);
    const next = match?.location == null ? undefined : withinWebsite(match.location, hosts);
    if (!match || next === undefined) return undefined;
    fired.push(match.id);
    url = next;
  }
  return undefined;
}

function addressOf(url: string): { path: string; query: string | null } {
  const end = url.indexOf('#');
  const bare = end < 0 ? url : url.slice(0, end);
  const mark = bare.indexOf('?');
  return { path: canonicalPath(bare), query: mark < 0 ? null : bare.slice(mark + 1) };
}

async function ownHosts(tx: Queryable, websiteId: number, environment: Environment): Promise<Set<string>> {
  const { rows } = await tx.execute<{ hostname: string }>(
    sql`select hostname from website_hosts where website_id = ${websiteId} and environment = ${environment}`,
  );
  return new Set(rows.map((row) => row.hostname));
}

/** The path and query of a Location that stays on the website. */
function withinWebsite(location: string, hosts: Set<string>): string | undefined {
  if (location.startsWith('/')) return location;
  if (!URL.canParse(location)) return undefined;
  const { hostname, pathname, search } = new URL(location);
  return hosts.has(hostname) ? pathname + search : undefined;
}

interface Candidate extends Record<string, unknown> {
  id: string | number;
  key: string;
  new_path: string | null;
  status_code: number;
}

/** A ruleset of just the literal rules that can match the path under the website's options, and of the draft. */
async function rulesetFor(
  tx: Queryable,
  website: WebsiteRow,
  environment: Environment,
  path: string,
  asked: Rule | undefined,
): Promise<Ruleset> {
  const twin = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  const paths = website.trailingSlash === 'ignore' && twin !== '' ? [path, twin] : [path];
  const targeted = sql`${sql.identifier(targetColumn(environment))} is not null`;
  // '?' and '@' are neighbours in byte order: the range holds the rules of this path that require a query.
  const matches = paths.flatMap((each) => [
    sql`key = ${each}`,
    sql`(key >= ${`${each}?`} and key < ${`${each}@`})`,
  ]);
  // Whoever only asks does so with every key that is pressed; the scan is left to the write.
  if (!website.caseSensitive && !asked) matches.push(...paths.map(sameLetters));
  const { rows } = await tx.execute<Candidate>(sql`
    select id, key, new_path, status_code from redirects
    where website_id = ${website.id} and not is_regex and ${targeted} and (${sql.join(matches, sql` or `)})`);
  const draft = emptyRuleset().fork();
  if (asked) draft.add(asked);
  for (const rule of rows.map(ruleOf)) {
    if (rule.id !== asked?.id && rule.key !== asked?.key) draft.add(rule);
  }
  return draft.seal();
}

/**
 * Where case is ignored no index helps: one scan (about 0.2 s for 1,000,000 rules, only on such websites) finds the paths that
 * are the same but for the case of their ASCII letters, with non-ASCII runs left to the resolver to compare.
 */
function sameLetters(path: string): ReturnType<typeof sql> {
  const skeleton = foldPath(path)
    .toLowerCase()
    .replace(/(%[89a-f][0-9a-f])+/g, '%');
  return sql`regexp_replace(lower(split_part(key, '?', 1)), '(%[89a-f][0-9a-f])+', '%', 'g') = ${skeleton}`;
}

function ruleOf(row: Candidate): Rule {
  return {
    id: Number(row.id),
    key: row.key,
    isRegex: false,
    newPath: row.new_path,
    statusCode: row.status_code,
  };
}

import { type Db, inSnapshot, type Queryable } from '../db/client.ts';
import type { MatchRequest } from '../resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../resolver/ruleset.ts';
import { candidateFor } from '../deployments/live/candidate.ts';
import type { LiveRules, Rulesets } from '../deployments/live/rulesets.ts';
import { type RulesPointer, rulesSql } from '../deployments/live/rules-sql.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { requireWebsite, type Website } from '../websites/website.ts';
import { workingState } from '../deployments/publish/resolve-publication.ts';
import { sql } from 'drizzle-orm';

/** The redirects of a website that are targeted at an environment, as they would be answered with if they were deployed. */
export interface CurrentRules {
  website: Website;
  environment: Environment;
  at: RulesPointer;
  /** nothing was ever deployed there, so that the past of the redirects need not be kept */
  isUndeployed: boolean;
  ruleset: Ruleset;
  isOwnHost: (host: string) => boolean;
}

/** Where the rules are read from: the database, and what this process answers from. */
export interface HealthDeps {
  db: Db;
  rulesets: Rulesets;
}

interface Wanted {
  websiteId: number;
  environment: Environment;
  /** which moment, where it is not now; throws where that cannot be had any more */
  momentOf?: (rules: Omit<CurrentRules, 'ruleset'>) => RulesPointer;
}

/**
 * The rules that a deployment would publish now, made from those that are live by what differs: they share their memory, and the
 * cost follows the undeployed changes. Where nothing is live, or the rules of another environment are, everything is read.
 * WEBSITE_NOT_FOUND where the website is not the account's.
 */
export async function workingRules(
  { db, rulesets }: HealthDeps,
  actor: Actor,
  { websiteId, environment, momentOf }: Wanted,
): Promise<CurrentRules> {
  let found: CurrentRules | undefined;
  const read = inSnapshot(db, async function* (snapshot, client) {
    const website = await requireWebsite(snapshot, actor, websiteId);
    const now = await workingState(snapshot, websiteId, environment);
    if (!now) throw new Error(`website ${websiteId} went away within a snapshot`);
    const live = rulesets.live(websiteId, environment)?.rules ?? NOTHING_LIVE;
    const own = new Set(
      website.hosts.filter((host) => host.environment === environment).map((host) => host.hostname),
    );
    const rules = {
      website,
      environment,
      at: now,
      isUndeployed: live.version === 0,
      isOwnHost: (host: string) => own.has(host),
    };
    const at = momentOf?.(rules) ?? now;
    const { ruleset } = await candidateFor(client, websiteId, live, at);
    yield { ...rules, at, ruleset };
  });
  for await (const rules of read) found = rules;
  if (!found) throw new Error('a snapshot yielded nothing');
  return found;
}

const NOTHING_LIVE: LiveRules = {
  version: 0,
  ruleset: emptyRuleset(),
  rulesEnv: 'production',
  rulesRev: 0,
  rulesMaxId: 0,
  targetHosts: null,
};

/**
 * The request for an address of the website, as its first host in the environment gets it: on which host it is tells whether a Location
 * with that host leads back to the request.
 */
export function requestFor(
  { website, environment }: CurrentRules,
  path: string,
  query: string | null,
): MatchRequest {
  const host = website.hosts.find((each) => each.environment === environment)?.hostname;
  return host === undefined ? { path, query } : { path, query, host };
}

/** The request for a literal rule's own address: its path, and the query that it requires. */
export function ownRequest(rules: CurrentRules, key: string): MatchRequest {
  const mark = key.indexOf('?');
  return mark < 0 ? requestFor(rules, key, null) : requestFor(rules, key.slice(0, mark), key.slice(mark + 1));
}

/** A rule as its editor wrote it. */
export interface RuleText {
  oldPath: string;
  newPath: string | null;
}

/** Reads texts of rules by their ids; an id that is none of the rules has no entry. */
export type ReadRuleTexts = (ids: number[]) => Promise<Map<number, RuleText>>;

/** Reads how rules were written at their moment; for some hundred ids at a time, since each text may be 2 KB. */
export function ruleTexts(
  db: Queryable,
  { website, at }: Pick<CurrentRules, 'website' | 'at'>,
): ReadRuleTexts {
  const rules = sql.raw(rulesSql(website.id, at));
  return async (ids) => {
    const wanted = sql.param([...new Set(ids)]);
    const { rows } = await db.execute<{ id: string | number; old_path: string; new_path: string | null }>(
      sql`select id, old_path, new_path from (${rules}) r where id = any(${wanted}::bigint[])`,
    );
    return new Map(rows.map((row) => [Number(row.id), { oldPath: row.old_path, newPath: row.new_path }]));
  };
}

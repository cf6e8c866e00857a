import { type Db, inSnapshot, type Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { candidateFor } from '../deployments/live/candidate.ts';
import { readCurrentPointer, readLive } from '../deployments/live/database/live.ts';
import { type RulesPointer, rulesSql } from '../deployments/live/database/rules-sql.ts';
import { type LiveRules, NOTHING_LIVE } from '../deployments/live/live-registry.ts';
import { ownHosts } from '../deployments/live/site-registry.ts';
import { splitTarget } from '../resolver/spelling/canonical-path.ts';
import { firstHost, type OwnHosts } from '../resolver/own-hosts.ts';
import type { MatchRequest } from '../resolver/rule.ts';
import type { Ruleset } from '../resolver/ruleset.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { requireWebsite, type Website } from '../websites/website.ts';

/** The current rules of an environment: the redirects that target it, undeployed changes included. */
export interface CurrentRules {
  website: Website;
  environment: Environment;
  at: RulesPointer;
  /** nothing was ever deployed there, so former revisions are not retained */
  isUndeployed: boolean;
  ruleset: Ruleset;
  hosts: OwnHosts;
}

/** The rules that the process serves for an environment; undefined if they are unknown. */
export type LiveRulesOf = (websiteId: number, environment: Environment) => LiveRules | undefined;

/** The sources of the rules: the database, and the live rules in this process. */
export interface HealthDeps {
  db: Db;
  live: LiveRulesOf;
}

/**
 * Returns the rules that a deployment would publish now. Patches a fork of the live ruleset, so the two share memory
 * and the cost grows with the undeployed changes. Reads everything if nothing is live, or if the rules of another
 * environment are. Throws WEBSITE_NOT_FOUND if the website is not the account's. `momentOf` selects another moment than
 * now; it throws if the rules of that moment are no longer available.
 */
export async function readCurrentRules(
  { db, live: liveRules }: HealthDeps,
  actor: Actor,
  input: {
    websiteId: number;
    environment: Environment;
    momentOf?: (rules: Omit<CurrentRules, 'ruleset'>) => RulesPointer;
  },
): Promise<CurrentRules> {
  const { websiteId, environment, momentOf } = input;
  let result: CurrentRules | undefined;
  const snapshots = inSnapshot(db, async function* (snapshot, client) {
    const website = await requireWebsite(snapshot, actor, websiteId);
    const now = await readCurrentPointer(snapshot, websiteId, environment);
    if (!now) throw new Error(`website ${websiteId} is missing in its own snapshot`);
    const live = liveRules(websiteId, environment) ?? NOTHING_LIVE;
    // From the snapshot: another process may have published a version that this one does not serve yet.
    const published = (await readLive(snapshot, [websiteId])).find((row) => row.environment === environment);
    const isUndeployed = !published?.liveVersion;
    const rules = { website, environment, at: now, isUndeployed, hosts: ownHosts(website, environment) };
    const at = momentOf?.(rules) ?? now;
    const { ruleset } = await candidateFor(client, { websiteId, environment }, live, at);
    yield { ...rules, at, ruleset };
  });
  for await (const rules of snapshots) result = rules;
  if (!result) throw new Error('a snapshot yielded nothing');
  return result;
}

/**
 * The request for a path of the website, on its first host in the environment. The host decides whether a Location with
 * a host is the same address.
 */
export function requestFor({ website, environment }: CurrentRules, path: string, query: string | null): MatchRequest {
  const host = firstHost(website.hosts, environment);
  return host === undefined ? { path, query } : { path, query, host };
}

/** The request for a literal rule's own address: its path, and the query that it requires. */
export function ownRequest(rules: CurrentRules, key: string): MatchRequest {
  const { path, query } = splitTarget(key);
  return requestFor(rules, path, query);
}

/** A rule as its editor wrote it. */
export interface RuleText {
  oldPath: string;
  newPath: string | null;
  /** it has a window */
  isScheduled: boolean;
}

/** Reads texts of rules by id. An id that is not a rule's has no entry. */
export type ReadRuleTexts = (ids: number[]) => Promise<Map<number, RuleText>>;

/**
 * Creates a reader of the rules as written at their moment. Pass some hundred ids at a time: each text may have 2 KB.
 */
export function ruleTexts(db: Queryable, { website, at }: Pick<CurrentRules, 'website' | 'at'>): ReadRuleTexts {
  const rules = sql.raw(rulesSql(website.id, at));
  return async (ids) => {
    const unique = sql.param([...new Set(ids)]);
    const rows = await queryRows<RuleText & { id: number }>(db)`
      select id, old_path, new_path, num_nonnulls(active_from, active_until) > 0 as is_scheduled
      from (${rules}) r where id = any(${unique}::bigint[])`;
    return new Map(rows.map(({ id, ...text }) => [id, text]));
  };
}

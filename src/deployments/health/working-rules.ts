import type { Db } from '../../db/client.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import type { MatchRequest } from '../../resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../../resolver/ruleset.ts';
import { candidateFor } from '../../versions/candidate.ts';
import type { LiveRules, Rulesets } from '../../versions/rulesets.ts';
import type { RulesPointer } from '../../versions/rules-sql.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { requireWebsite, type Website } from '../../websites/website.ts';
import { workingState } from '../what-to-publish.ts';

/** The redirects of a website that are targeted at an environment, as they would be answered with if they were deployed. */
export interface WorkingRules {
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
  momentOf?: (rules: Omit<WorkingRules, 'ruleset'>) => RulesPointer;
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
): Promise<WorkingRules> {
  let found: WorkingRules | undefined;
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
  { website, environment }: WorkingRules,
  path: string,
  query: string | null,
): MatchRequest {
  const host = website.hosts.find((each) => each.environment === environment)?.hostname;
  return host === undefined ? { path, query } : { path, query, host };
}

/** The request for a literal rule's own address: its path, and the query that it requires. */
export function ownRequest(rules: WorkingRules, key: string): MatchRequest {
  const mark = key.indexOf('?');
  return mark < 0 ? requestFor(rules, key, null) : requestFor(rules, key.slice(0, mark), key.slice(mark + 1));
}

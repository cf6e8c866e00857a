import { type Db, withClient } from '../db/connection/client.ts';
import { readAccepted } from '../deployments/gate/urls/accepted.ts';
import { checkUrls, type UrlCheck } from '../deployments/gate/urls/check-urls.ts';
import { readUrls, type Replacement } from '../deployments/gate/urls/read-urls.ts';
import type { LiveRules } from '../deployments/live/live-registry.ts';
import { ownHosts } from '../deployments/live/site-registry.ts';
import type { TestedSite } from '../deployments/live/test-url.ts';
import { siteAgainst } from '../deployments/publish/rules-against.ts';
import type { VersionChoice } from '../deployments/publish/versions/version-choice.ts';
import { createTimeSlice, type TimeSlice } from '../platform/scheduling/time-slice.ts';
import { firstHost } from '../resolver/own-hosts.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { DomainError, wrongParameter } from '../vocabulary/error.ts';
import { normaliseHostname } from '../websites/hostname.ts';
import { type BodyCounts, stageBody } from './read-body.ts';
import { FLAGS } from './stage.ts';
import { readUrlRules } from './url-rules.ts';

export interface CheckInput {
  websiteId: number;
  environment: Environment;
  against: VersionChoice;
  /** default: now */
  at?: Date | undefined;
  /** of the requests; default: the first of the environment that serves rules */
  host?: string | undefined;
  /** a stored list of the living pages, instead of those of the website */
  body?: { path: string; maxBytes: number } | undefined;
  /** of a body: the list that it replaces; all of the environment if absent */
  list?: string | undefined;
  /** of a body */
  fromHosts?: string[] | undefined;
}

export interface WebsiteCheck {
  tested: TestedSite;
  check: UrlCheck;
  /** of the list in the body */
  body: BodyCounts | undefined;
}

/**
 * Checks all URLs of a website against the live rules, the current ones or those of a version. Throws as `siteAgainst`
 * and `stageBody`, INVALID_PARAMETER for a host that the website does not have there, and BUSY at its time limit.
 */
export async function checkWebsite(
  db: Db,
  actor: Actor,
  input: CheckInput,
  { live, now, slice = createTimeSlice() }: { live: LiveRules | undefined; now: Date; slice?: TimeSlice },
): Promise<WebsiteCheck> {
  const tested = await siteAgainst(db, actor, input, live);
  const { site, environment, rules } = tested;
  const { caseSensitive, trailingSlash, query } = site;
  const visited = {
    options: { caseSensitive, trailingSlash, query },
    hosts: ownHosts(site, environment),
    host: input.host === undefined ? firstHost(site.hosts, environment) : requireHost(tested, input.host),
  };
  const at = input.at ?? now;
  const isAccepted = await readAccepted(db, site.id, at);
  let body: BodyCounts | undefined;
  const { body: file, fromHosts = [] } = input;
  const urlRules = file && (await readUrlRules(db, actor, { websiteId: site.id, fromHosts }));
  const replacement: Replacement | undefined = urlRules && {
    list: input.list,
    addLiving: async (add) => void (body = await stageBody(file.path, urlRules, stageOf(add), file.maxBytes)),
  };
  const place = { websiteId: site.id, environment };
  const urls = await withClient(db, (client) => readUrls(client, place, { replacement, slice }));
  const check = await checkUrls(urls, { ruleset: rules.ruleset, site: visited, at, isAccepted, slice });
  if (check.isCutShort) {
    const details = 'The check reached its limit of 60 s; simplify the patterns of the website, or delete URLs';
    throw new DomainError('BUSY', 'The check takes too long', { details, retryAfter: 60 });
  }
  return { tested, check, body };
}

function requireHost({ site, environment }: TestedSite, text: string): string {
  const host = normaliseHostname(text);
  if (host !== undefined && ownHosts(site, environment).has(host)) return host;
  throw wrongParameter('host', `${text} is not a host of this website in ${environment}; omit it for the first one`);
}

/** A stage that passes on the living pages. */
function stageOf(add: (url: string) => void): Parameters<typeof stageBody>[2] {
  const stage = {
    count: 0,
    async write(rows: readonly { url: string; flags: number }[]) {
      stage.count += rows.length;
      for (const { url, flags } of rows) if ((flags & FLAGS.living) > 0) add(url);
    },
  };
  return stage;
}

import { type Db, withClient } from '../../db/connection/client.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import { requireWebsiteRow, websiteNotFound } from '../../websites/website.ts';
import { candidateFor } from '../live/candidate.ts';
import { readCurrentPointer } from '../live/database/live.ts';
import { type LiveRules, NOTHING_LIVE } from '../live/live-registry.ts';
import { readSites } from '../live/database/read-sites.ts';
import type { TestedSite } from '../live/test-url.ts';
import { sourceRules } from './resolve-publication.ts';
import { requireVersion, type VersionChoice } from './versions/version-choice.ts';

interface Against {
  websiteId: number;
  environment: Environment;
  against: VersionChoice;
  /** of the rules; default: environment */
  againstEnvironment?: Environment | undefined;
}

/**
 * Returns the rules of an environment to try URLs against; of a version, those that a rollback to it would publish. Patches the live ones, so the cost grows with the difference; call it in a worker
 * thread. `live` is undefined if nothing is live. Throws WEBSITE_NOT_FOUND, VERSION_NOT_FOUND and VERSION_EXPIRED.
 */
async function rulesAgainst(
  db: Db,
  actor: Actor,
  { websiteId, environment: own, againstEnvironment: environment = own, against }: Against,
  live: LiveRules = NOTHING_LIVE,
): Promise<Ruleset> {
  await requireWebsiteRow(db, actor, websiteId);
  if (against === 'live' || against === live.version) return live.ruleset;
  if (against !== 'draft') await requireVersion(db, websiteId, environment, { version: against });
  const to =
    against === 'draft'
      ? await readCurrentPointer(db, websiteId, environment)
      : (await sourceRules(db, websiteId, { environment, version: against }))?.to;
  if (!to) return NOTHING_LIVE.ruleset;
  const { ruleset } = await withClient(db, (client) => candidateFor(client, { websiteId, environment }, live, to));
  return ruleset;
}

/** Returns the website with the rules of rulesAgainst, and its current hosts and options. Throws as rulesAgainst. */
export async function siteAgainst(
  db: Db,
  actor: Actor,
  input: Against,
  live: LiveRules = NOTHING_LIVE,
): Promise<TestedSite> {
  const { websiteId, environment, against } = input;
  const ruleset = await rulesAgainst(db, actor, input, live);
  const [site] = await readSites(db, [websiteId]);
  if (!site) throw websiteNotFound(websiteId);
  const version = against === 'live' ? live.version : against;
  return { site, environment, rules: { ruleset, version: version === 'draft' ? null : version } };
}

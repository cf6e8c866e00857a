import { type Db, withClient } from '../../db/client.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import { requireWebsite } from '../../websites/website.ts';
import { candidateFor } from '../live/candidate.ts';
import { readCurrentPointer } from '../live/live.ts';
import { type LiveRules, NOTHING_LIVE } from '../live/live-registry.ts';
import { sourceRules } from './resolve-publication.ts';
import { requireVersion, type VersionChoice } from './version-choice.ts';

/**
 * Returns the rules of an environment to try URLs against; of a version, those that a rollback to it would publish. Patches the live ones, so the cost grows with the difference; call it in a worker
 * thread. `live` is undefined if nothing is live. Throws WEBSITE_NOT_FOUND, VERSION_NOT_FOUND and VERSION_EXPIRED.
 */
export async function rulesAgainst(
  db: Db,
  actor: Actor,
  { websiteId, environment, against }: { websiteId: number; environment: Environment; against: VersionChoice },
  live: LiveRules = NOTHING_LIVE,
): Promise<Ruleset> {
  await requireWebsite(db, actor, websiteId);
  if (against === 'live' || against === live.version) return live.ruleset;
  if (against !== 'draft') await requireVersion(db, websiteId, environment, against);
  const to =
    against === 'draft'
      ? await readCurrentPointer(db, websiteId, environment)
      : (await sourceRules(db, websiteId, { environment, version: against }))?.to;
  if (!to) return NOTHING_LIVE.ruleset;
  const { ruleset } = await withClient(db, (client) => candidateFor(client, websiteId, live, to));
  return ruleset;
}

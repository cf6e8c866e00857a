import type { Db } from '../../db/client.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { requireWebsite } from '../../websites/website.ts';
import { type Entry, PAGE } from './first-entries.ts';
import type { LeftReason } from './flat-target.ts';
import { inTurn } from './in-turn.ts';
import { planFlattening } from './plan-flattening.ts';
import type { HealthDeps } from './working-rules.ts';
import { isUnchanged, writeFlattening } from './write-flattening.ts';

/** How often a website that others write to meanwhile is looked at anew before the call gives up. */
const TRIES = 3;

export interface Flattened {
  /** redirects that lead straight to their end now, or with a dry run would */
  updated: number;
  /** chains that were left as they are */
  leftCount: number;
  /** the first 1,000 of them by id */
  left: Entry<LeftReason>[];
}

/**
 * Gives the first redirect of each chain of an environment the final target, where that keeps what every visitor gets in every
 * environment that the redirect is targeted at; what cannot be shortened is told with the reason. One transaction with its events (one for
 * each redirect, or one for all over 10,000) and deployments. Chains are found before the website is locked, and looked for again where it
 * changed meanwhile; BUSY where it goes on changing, or where the health of a website is being looked at for over 10 s.
 */
export async function flattenChains(
  deps: HealthDeps & { writes: Db },
  actor: Actor,
  input: { websiteId: number; environment: Environment; dryRun: boolean },
): Promise<Flattened> {
  return inTurn(async () => {
    for (let tries = 0; tries < TRIES; tries++) {
      const plan = await planFlattening(deps, actor, input);
      const isDone = input.dryRun
        ? isUnchanged(await requireWebsite(deps.db, actor, input.websiteId), plan.rules)
        : await writeFlattening(deps.writes, actor, plan);
      if (!isDone) continue;
      return { updated: plan.ids.length, leftCount: plan.left.count, left: plan.left.kept().slice(0, PAGE) };
    }
    throw new DomainError('BUSY', 'The website is busy', {
      details: 'Others change its redirects or options all the time; try again in a few seconds',
      retryAfter: 5,
    });
  });
}

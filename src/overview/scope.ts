import type { Queryable } from '../db/connection/client.ts';
import type { LiveSite } from '../deployments/live/live-registry.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';

/** The live rules of an environment in the memory of this process; undefined if none are live. */
export type LiveSites = (websiteId: number, environment: Environment) => LiveSite | undefined;

/** The input of a reader of items, which reads all websites by one statement. */
export interface OverviewScope {
  db: Queryable;
  actor: Actor;
  /** websites that the actor reaches; those of a call that names one: only that */
  ids: number[];
  now: Date;
  live: LiveSites;
}

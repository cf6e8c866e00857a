import { z } from 'zod';
import { requireWebsite } from '../../websites/website.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { EnvironmentName, bodyId, bodyObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import type { LiveSite, Rulesets } from '../../deployments/live/rulesets.ts';
import { testAddress } from '../../deployments/live/test-url.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { TestedBody, testedBody } from './tested-wire.ts';

const Body = bodyObject({
  website_id: bodyId,
  environment: EnvironmentName.optional(),
  url: z.string().min(1).max(8_192),
});

/** POST /api/redirects/test: the answer of the live rules to one address, and why. */
export function testRoutes(app: Api, { db, rulesets }: SurfaceDeps): void {
  app.post(
    '/redirects/test',
    { config: { role: 'viewer' }, schema: { body: Body, response: { 200: TestedBody } } },
    async ({ actor, body }) => {
      await requireWebsite(db, actor, body.website_id);
      const live = await requireLive(rulesets, body.website_id, body.environment ?? 'production');
      return testedBody(testAddress(live, body.url));
    },
  );
}

/** What is live in an environment of a website that is there, also where this process has not heard of it yet. */
export async function requireLive(
  rulesets: Rulesets,
  websiteId: number,
  environment: Environment,
): Promise<LiveSite> {
  if (!rulesets.live(websiteId, environment)) await rulesets.refreshSite(websiteId);
  const live = rulesets.live(websiteId, environment);
  if (!live) throw new Error(`website ${websiteId} is not in memory`);
  return live;
}

import { z } from 'zod';
import { requireWebsite } from '../../websites/website.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyId, bodyObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import type { LiveSite, Rulesets } from '../../versions/rulesets.ts';
import { testAddress, type TestedAddress } from '../../versions/test-address.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { EnvironmentName } from './website-wire.ts';

const Body = bodyObject({
  website_id: bodyId,
  environment: EnvironmentName.optional(),
  url: z.string().min(1).max(8_192),
});

const Rule = z.object({
  redirect_id: z.int(),
  old_path: z.string(),
  is_regex: z.boolean(),
  status_code: z.int(),
  location: z.string().nullable(),
  kind: z.enum(['query', 'exact', 'slash', 'pattern']),
  outcome: z.enum(['fired', 'self', 'beaten']),
});
const Hop = z.object({
  url: z.string(),
  redirect_id: z.int(),
  status_code: z.int(),
  location: z.string().nullable(),
});
const Tested = z
  .object({
    environment: EnvironmentName,
    version: z.int(),
    path: z.string(),
    query: z.string().nullable(),
    match: Rule.nullable(),
    beaten: z.array(Rule),
    status_code: z.int(),
    location: z.string().nullable(),
    hops: z.array(Hop),
    outcome: z.enum(['end', 'loop', 'too-many', 'gone', 'external']),
    final_url: z.string(),
  })
  .meta({ id: 'TestedAddress' });

/** POST /api/redirects/test: the answer of the live rules to one address, and why. */
export function testRoutes(app: Api, { db, rulesets }: SurfaceDeps): void {
  app.post(
    '/redirects/test',
    { config: { role: 'viewer' }, schema: { body: Body, response: { 200: Tested } } },
    async ({ actor, body }) => {
      await requireWebsite(db, actor, body.website_id);
      const live = await requireLive(rulesets, body.website_id, body.environment ?? 'production');
      return testBody(testAddress(live, body.url));
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

function testBody(tested: TestedAddress): z.output<typeof Tested> {
  const rules = tested.candidates.map((candidate) => ({
    redirect_id: candidate.id,
    old_path: candidate.key,
    is_regex: candidate.isRegex,
    status_code: candidate.statusCode,
    location: candidate.location,
    kind: candidate.kind,
    outcome: candidate.outcome,
  }));
  const winner = rules.find((rule) => rule.outcome === 'fired') ?? null;
  const { hops, outcome, finalUrl } = tested.followed;
  return {
    environment: tested.environment,
    version: tested.version,
    path: tested.path,
    query: tested.query,
    match: winner,
    beaten: rules.filter((rule) => rule !== winner),
    status_code: winner?.status_code ?? (tested.fallbackUrl === null ? 404 : 302),
    location: winner ? winner.location : fallback(tested),
    hops: hops.map((hop) => ({
      url: hop.url,
      redirect_id: hop.ruleId,
      status_code: hop.statusCode,
      location: hop.location,
    })),
    outcome,
    final_url: finalUrl,
  };
}

function fallback({ fallbackUrl, path, query }: TestedAddress): string | null {
  if (fallbackUrl === null) return null;
  return fallbackUrl.replace(/\/$/, '') + path + (query === null ? '' : `?${query}`);
}

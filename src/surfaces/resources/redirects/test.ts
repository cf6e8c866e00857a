import { z } from 'zod';
import type { LiveSite, Rulesets } from '../../../deployments/live/rulesets.ts';
import { testAddress, type TestedAddress } from '../../../deployments/live/test-url.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, EnvironmentName } from '../../../http/fields.ts';
import type { Api } from '../../../http/zod.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import { requireWebsite } from '../../../websites/website.ts';
import type { Dialect, Wire } from '../dialect.ts';

/** A rule, and the Location it sends for the tested URL. */
export function matchSchema<W extends Wire>({ id }: Dialect<W>) {
  return z.object({
    redirect_id: id,
    old_path: z.string(),
    is_regex: z.boolean(),
    status_code: z.int(),
    location: z.string().nullable(),
  });
}

export function testedSchema<W extends Wire>(dialect: Dialect<W>) {
  const Rule = matchSchema(dialect).extend({
    kind: z.enum(['query', 'exact', 'slash', 'pattern']),
    outcome: z.enum(['fired', 'self', 'beaten']),
  });
  const Hop = z.object({
    url: z.string(),
    redirect_id: dialect.id,
    status_code: z.int(),
    location: z.string().nullable(),
  });
  return z
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
    .meta({ id: `TestedAddress${dialect.suffix}` });
}

/** POST /redirects/test: what the live rules do with one URL, and why. */
export function testRoute(app: Api, { db, rulesets }: SurfaceDeps, dialect: Dialect): void {
  const { body: website_id, read } = dialect.websiteId;
  const Body = bodyObject({
    website_id,
    environment: EnvironmentName.optional(),
    url: z.string().min(1).max(8_192),
  });
  app.post(
    '/redirects/test',
    { config: { role: 'viewer' }, schema: { body: Body, response: { 200: testedSchema(dialect) } } },
    async ({ actor, body }) => {
      const { id } = await requireWebsite(db, actor, read(body.website_id));
      const live = await requireLive(rulesets, id, body.environment ?? 'production');
      return testedBody(testAddress(live, body.url), dialect);
    },
  );
}

/** The live rules of an existing website. Loads a website that this process has not loaded yet. */
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

function testedBody(tested: TestedAddress, { writeId }: Dialect) {
  const rules = tested.candidates.map((candidate) => ({
    redirect_id: writeId(candidate.id),
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
    location: winner ? winner.location : fallbackLocation(tested),
    hops: hops.map((hop) => ({
      url: hop.url,
      redirect_id: writeId(hop.ruleId),
      status_code: hop.statusCode,
      location: hop.location,
    })),
    outcome,
    final_url: finalUrl,
  };
}

function fallbackLocation({ fallbackUrl, path, query }: TestedAddress): string | null {
  if (fallbackUrl === null) return null;
  return fallbackUrl.replace(/\/$/, '') + path + (query === null ? '' : `?${query}`);
}

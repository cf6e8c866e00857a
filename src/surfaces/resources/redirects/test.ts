import { z } from 'zod';
import type { LiveSite } from '../../../deployments/live/live-registry.ts';
import type { Rulesets } from '../../../deployments/live/rulesets.ts';
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
    redirect_id: id.describe('The id of the redirect.'),
    old_path: z.string().describe('Its path or pattern.'),
    is_regex: z.boolean().describe('Whether it is a pattern.'),
    status_code: z.int().describe('Its status.'),
    location: z.string().nullable().describe('The `Location` of its response; null if it has no target.'),
  });
}

/** One hop of a chain; `id` is the schema of its `redirect_id`. */
export function hopSchema<Id extends z.ZodType>(id: Id, idText = 'The id of the redirect.') {
  return z.object({
    url: z.string().describe('The requested URL.'),
    redirect_id: id.describe(idText),
    status_code: z.int().describe('The status of this hop.'),
    location: z.string().nullable().describe('The `Location` of this hop; null if it has none.'),
  });
}

/** How a chain ends. */
export const ChainOutcome = z
  .enum(['end', 'loop', 'too-many', 'gone', 'external'])
  .describe(
    'How the chain ends: `end` no further rule matches, `gone` 410 or 451, `external` another host, `loop`, or `too-many` more than 20 hops.',
  );

export function testedSchema<W extends Wire>(dialect: Dialect<W>) {
  const Rule = matchSchema(dialect).extend({
    kind: z
      .enum(['query', 'exact', 'slash', 'pattern'])
      .describe(
        'How it matches: a required query parameter, the exact path, the path except for a trailing slash, or a pattern.',
      ),
    outcome: z
      .enum(['fired', 'self', 'beaten'])
      .describe(
        '`fired`: it matched. `beaten`: another rule has precedence. `self`: skipped, because it would redirect to the requested URL itself.',
      ),
  });
  return z
    .object({
      environment: EnvironmentName.describe('The environment.'),
      version: z.int().describe('The live version.'),
      path: z.string().describe('The canonical path that was looked up.'),
      query: z.string().nullable().describe('The query of the URL; null if it has none.'),
      match: Rule.nullable().describe('The rule that matches; null if none does.'),
      beaten: z.array(Rule).describe('Rules that also match and do not win, in order of precedence: the first 100.'),
      beaten_count: z.int().describe('The number of rules that also match and do not win.'),
      status_code: z.int().describe('The status that a visitor gets.'),
      location: z.string().nullable().describe('The `Location` that a visitor gets; otherwise null.'),
      hops: z.array(hopSchema(dialect.id)).describe('Every redirect on the way, in order.'),
      outcome: ChainOutcome,
      final_url: z.string().describe('The URL at which the chain ends, or which a loop returns to.'),
    })
    .meta({ id: `TestedAddress${dialect.suffix}` });
}

/** POST /redirects/test: what the live rules do with one URL, and why. */
export function testRoute(app: Api, { db, rulesets }: SurfaceDeps, dialect: Dialect): void {
  const { body: website_id, read } = dialect.websiteId;
  const Body = bodyObject({
    website_id,
    environment: EnvironmentName.optional().describe(
      'The environment whose live rules are tested. Default `production`.',
    ),
    url: z
      .string()
      .min(1)
      .max(8_192)
      .describe('A path, or a URL on one of the hosts of the website in this environment; 1 to 8,192 characters.'),
  });
  app.post(
    '/redirects/test',
    {
      config: { role: 'viewer', reads: true },
      schema: {
        operationId: `testAddress${dialect.suffix}`,
        tag: dialect.tags.redirects,
        summary: 'Test a URL',
        description: 'Applies the live rules with the engine that serves visitors. Changes nothing and counts no hit.',
        returns: 'The matching rule, other matches of lower precedence, and every hop to the end.',
        errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR'],
        example: { body: { website_id: dialect.writeId(1), url: '/blog/2024/hello?ref=news' } },
        body: Body,
        response: { 200: testedSchema(dialect) },
      },
    },
    async ({ actor, body }) => {
      const { id } = await requireWebsite(db, actor, read(body.website_id));
      const live = await requireLive(rulesets, id, body.environment ?? 'production');
      return testedBody(await testAddress(live, body.url), dialect);
    },
  );
}

/** The live rules of an existing website. Loads a website that this process has not loaded yet. */
export async function requireLive(rulesets: Rulesets, websiteId: number, environment: Environment): Promise<LiveSite> {
  if (!rulesets.live(websiteId, environment)) await rulesets.refreshSite(websiteId);
  const live = rulesets.live(websiteId, environment);
  if (!live) throw new Error(`website ${websiteId} is not in memory`);
  return live;
}

function testedBody(tested: TestedAddress, { writeId }: Dialect) {
  const rules = tested.matches.map((candidate) => ({
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
    beaten_count: tested.beatenCount,
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

import { z } from 'zod';
import type { LiveSite } from '../../../deployments/live/live-registry.ts';
import type { Rulesets } from '../../../deployments/live/rulesets.ts';
import { testAddress } from '../../../deployments/live/test-url.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, EnvironmentName } from '../../../http/wire/fields.ts';
import { sendStream } from '../../../http/stream.ts';
import { wireWriter } from '../../../http/wire/wire-names.ts';
import type { Api } from '../../../http/wire/zod.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import { invalid, missing, wrongParameter } from '../../../vocabulary/error.ts';
import { requireWebsiteRow } from '../../../websites/website.ts';
import type { Dialect } from '../dialect.ts';
import { resolvedSchema } from './resolved-urls.ts';
import { testedBody, testedSchema } from './tested-url.ts';
import { Moment } from './wire.ts';

const MAX_URLS = 5_000;
const address = z.string().min(1).max(8_192);

function assertCount(urls: string[]): void {
  if (urls.length === 0) throw wrongParameter('urls', 'send 1 to 5,000 URLs');
  if (urls.length <= MAX_URLS) return;
  throw invalid('urls', `at most 5,000 URLs in one call; this list has ${urls.length}`, 'TOO_MANY_ITEMS');
}

/** POST /redirects/test: what the rules do with a URL, and why; or with many URLs, in the bulk thread. */
export function testRoute(app: Api, { db, rulesets, jobs, streamShares, clock }: SurfaceDeps, dialect: Dialect): void {
  const { body: website_id, read } = dialect.websiteId;
  const Tested = testedSchema(dialect);
  const write = wireWriter(Tested);
  app.post('/redirects/test', {
    config: {
      role: 'viewer',
      reads: true,
      gives: { 'application/json': z.union([Tested, resolvedSchema(dialect, Tested.shape.inactive)]) },
    },
    ...dialect.operation('testAddress', 'redirects'),
    summary: 'Test URLs',
    description:
      'Applies the live rules, those of a version or the current ones with the engine that serves visitors. Changes nothing and counts no hit. Responds to `url` with one result, and to `urls` with `results` in their order.',
    returns:
      'The matching rule, other matches of lower precedence, and every hop to the end; or the results of many URLs.',
    errors: ['WEBSITE_NOT_FOUND', 'VERSION_NOT_FOUND', 'VERSION_EXPIRED', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS'],
    example: { body: { website_id: dialect.writeId(1), url: '/blog/2024/hello?ref=news' } },
    body: bodyObject({
      website_id,
      environment: EnvironmentName.optional().describe('The environment whose rules are tested. Default `production`.'),
      version: z
        .int()
        .min(1)
        .optional()
        .describe('Tests the rules of this version of the environment. Default: the live rules.'),
      against: z
        .enum(['live', 'draft'])
        .optional()
        .describe('`live` (default), or `draft`: the current rules, undeployed changes included. Without `version`.'),
      url: address
        .optional()
        .describe('A path, or a URL on one of the hosts of the website in this environment; 1 to 8,192 characters.'),
      urls: z.array(address).optional().describe('Instead of `url`: 1 to 5,000 paths or URLs.'),
      at: Moment.optional().describe('The time of the test, such as `2030-01-31T12:00:00Z`. Default: now.'),
    }),
    async handler({ actor, body }, reply) {
      const { environment = 'production', version, against, url, urls, at = clock.now() } = body;
      if (version !== undefined && against !== undefined)
        throw wrongParameter('version', 'cannot be sent with against');
      if (url !== undefined && urls !== undefined) throw wrongParameter('urls', 'cannot be sent with url');
      if (urls) assertCount(urls);
      const { id: websiteId } = await requireWebsiteRow(db, actor, read(body.websiteId));
      const live = await requireLive(rulesets, websiteId, environment);
      if (url !== undefined && version === undefined && against !== 'draft') {
        return write(await testedBody(db, live, await testAddress(live, url, at)));
      }
      const tested = urls ?? url;
      if (tested === undefined) throw missing('url', 'send a url, or 1 to 5,000 urls');
      const input = { websiteId, environment, against: version ?? against ?? 'live', urls: tested, at };
      const results = jobs.testUrls(actor, input, dialect.surface);
      return sendStream(reply.type('application/json; charset=utf-8'), streamShares.jobs(actor), () => results);
    },
  });
}

/** The live rules of an existing website. Loads a website that this process has not loaded yet. */
export async function requireLive(rulesets: Rulesets, websiteId: number, environment: Environment): Promise<LiveSite> {
  if (!rulesets.live(websiteId, environment)) await rulesets.refreshSite(websiteId);
  const live = rulesets.live(websiteId, environment);
  if (!live) throw new Error(`website ${websiteId} is not in memory`);
  return live;
}

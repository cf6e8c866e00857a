import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { component, EnvironmentName, queryObject, Timestamp } from '../../http/wire/fields.ts';
import type { Api } from '../../http/wire/zod.ts';
import { readOverview } from '../../overview/overview.ts';
import { MAX_OVERVIEW_ITEMS, MAX_OVERVIEW_WEBSITES, OVERVIEW_KINDS } from '../../vocabulary/overview.ts';
import { changeBody, changeSchema } from './change-wire.ts';
import { keyDialect } from './dialect.ts';

const Item = component('OverviewItem', {
  kind: z.enum(OVERVIEW_KINDS).describe('The kind. docs/overview.md explains each.'),
  website_id: keyDialect.id.nullable().describe('The website; null: the account itself.'),
  environment: EnvironmentName.nullable().describe('The environment; null: all of them, or none.'),
  environments: z
    .array(EnvironmentName)
    .describe('Of `targets.broken`: the environments of the redirects. Otherwise empty.'),
  count: z.int().describe('How many things, such as paths or redirects.'),
  count_is_at_least: z.boolean().describe('Whether there may be more.'),
  count_is_stale: z.boolean().describe('Of `urls.lost`: whether it is being counted again, after a change.'),
  hits: z.int().nullable().describe('Of `not_found.paths`: the hits by humans of all counted paths. Otherwise null.'),
  subject: z
    .string()
    .nullable()
    .describe('The name or path of the most important one, or the error of a deployment; otherwise null.'),
  subject_id: z
    .string()
    .nullable()
    .describe('The id of a redirect, deployment, move, webhook or API key; otherwise null.'),
  since: Timestamp.nullable().describe('Since when, or when a window or key starts or ends; null if unknown.'),
});

const count = (text: string) => z.int().describe(text);

const Figures = component('WebsiteFigures', {
  website_id: keyDialect.id.describe('The id of the website.'),
  redirects: count('The number of its redirects.'),
  hits: z.array(z.int()).describe('Hits by humans on each of the last 7 days (UTC) in production, today last.'),
  hits_before: count('Hits by humans in the 7 days before.'),
  not_found: count('Requests by humans that no redirect matched, in the 7 days.'),
  last_change: changeSchema(keyDialect)
    .nullable()
    .describe('The last write to its redirects; null without one in the last 30 days.'),
});

/** The body of GET /overview. */
export const OverviewResponse = z.object({
  items: z.array(Item).describe(`The items, at most ${MAX_OVERVIEW_ITEMS.toLocaleString('en')}.`),
  item_count: count('The number of all items.'),
  websites: z.array(Figures).describe(`The websites by name, at most ${MAX_OVERVIEW_WEBSITES.toLocaleString('en')}.`),
  website_count: count('The number of all websites.'),
});

/** GET /api/v1/overview. */
export function overviewRoute(api: Api, { db, rulesets, clock }: SurfaceDeps): void {
  const { read, query: websiteId } = keyDialect.websiteId;
  api.get('/overview', {
    config: { forDashboard: true },
    operationId: 'getOverviewV1',
    tag: 'Account and activity (key API)',
    summary: 'List the things that need attention',
    description:
      'One item for each kind, website and environment, for moves and webhooks one for each. With `website_id`, only the items of the website. API keys and webhooks are for owners with a session, quotas for callers that are not limited to websites.',
    returns: 'The things that need attention, the most severe first, and the figures of the week.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: '1' } },
    querystring: queryObject({ website_id: websiteId.optional() }),
    response: { 200: OverviewResponse },
    async handler({ actor, query }) {
      const input = { websiteId: query.websiteId === undefined ? undefined : read(query.websiteId) };
      const { websites, ...overview } = await readOverview(db, actor, input, {
        now: clock.now(),
        live: (id, environment) => rulesets.live(id, environment),
      });
      const figures = websites.map(({ lastChange, ...each }) => ({
        ...each,
        lastChange: lastChange && changeBody(lastChange),
      }));
      return { ...overview, websites: figures };
    },
  });
}

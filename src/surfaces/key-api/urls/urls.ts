import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import {
  bodyObject,
  component,
  listOf,
  nextCursor,
  pageParameters,
  queryBoolean,
  queryObject,
  searchText,
  staleness,
  Timestamp,
} from '../../../http/wire/fields.ts';
import { sendStream } from '../../../http/stream.ts';
import type { Api } from '../../../http/wire/zod.ts';
import type { Suggested } from '../../../suggestions/suggest.ts';
import { URL_FORMATS, type UrlFormat } from '../../../urls/export-urls.ts';
import { type ListedUrl, URL_SORTS } from '../../../urls/list-urls.ts';
import { URL_TYPES as PAGE_TYPES } from '../../../urls/url-filter.ts';
import { missing, wrongParameter } from '../../../vocabulary/error.ts';
import { URL_ANSWERS, URL_SOURCES, URL_STATES, type UrlSource } from '../../../vocabulary/urls.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { LossReasonName } from '../../resources/expectation-wire.ts';
import { suggestedFields, suggestionFields } from '../../resources/suggestion-wire.ts';
import { environment, listName, urlParams, URLS } from './url-wire.ts';

const DEFAULT_LIMIT = 100;
const MAX_IDS = 10_000;
const MAX_SUGGESTIONS = 3;
/** The longest wait for the index of a website. */
const SUGGEST_WAIT_MS = 500;
const SOURCES = Object.keys(URL_SOURCES) as [UrlSource, ...UrlSource[]];
const SORTS = URL_SORTS.flatMap((key) => [`-${key}` as const, key]);

const nullable = (text: string) => z.string().nullable().describe(text);
const count = (text: string) => z.number().nullable().describe(text);

export const UrlBody = component('WebsiteUrl', {
  id: keyDialect.id.describe('The id of the URL.'),
  url: z.string().describe('The canonical path, and the parameters that identify the page.'),
  raw_url: z.string().describe('The address as a file first wrote it.'),
  state: z
    .enum(URL_STATES)
    .describe('`living`: a list holds it. `removed`: a list held it. `known`: it was never in a list.'),
  answered: z.enum(URL_ANSWERS).describe('What a visitor of the environment gets. docs/urls.md explains the values.'),
  redirect_id: keyDialect.id.nullable().describe('The id of the rule that answers; null if none does.'),
  reason: LossReasonName.nullable().describe(
    'Why it is lost: `unanswered`, `dead_end` (its redirects end at a lost URL) or `loop`; null if it is not.',
  ),
  ends_at: nullable('Of a `dead_end`: the lost URL at which its redirects end.'),
  title: nullable('The title of the page.'),
  description: nullable('Its meta description.'),
  headline: nullable('Its first headline.'),
  lists: z.array(z.string()).describe('The lists of the environment that hold it.'),
  sources: z.array(z.enum(SOURCES)).describe('Where it is known from.'),
  first_seen_at: Timestamp.describe('When it was added.'),
  last_seen_at: Timestamp.describe('When a list or file last had it.'),
  removed_at: Timestamp.nullable().describe('When it left the last list of the environment.'),
  clicks: count('Clicks of a search engine.'),
  links: count('Links from other websites.'),
  hits: count('Hits by humans in 30 days of its literal redirect or as an unmatched path; null if neither counts it.'),
  bot_hits: count('The same by known bots.'),
  assistant_hits: count('The same by assistants on behalf of a person, by name, not verified.'),
  weight: z.number().describe('10 x links + clicks + hits.'),
  draft: z
    .object({
      answered: z.enum(URL_ANSWERS).describe('The answer.'),
      redirect_id: keyDialect.id.nullable().describe('The id of the rule that answers first; null if none does.'),
    })
    .optional()
    .describe('With `draft`, of a lost URL: the answer after the next deployment.'),
  suggestions: listOf(
    'With `suggest`, of a lost URL: up to three pages that it may have become, best first.',
    suggestionFields,
  ).optional(),
  ...z.object(suggestedFields).partial().shape,
});

const UrlPage = z.object({
  urls: z.array(UrlBody).describe('The URLs.'),
  pending: z
    .boolean()
    .optional()
    .describe('With `suggest`: true if the suggestions are not ready; ask again in some seconds.'),
  next_cursor: nextCursor,
});

export const filterFields = {
  environment,
  state: z.enum(URL_STATES).optional().describe('Only URLs in this state.'),
  list: listName.optional().describe('Only URLs that this list of the environment holds.'),
  source: z.enum(SOURCES).optional().describe('Only URLs that are known from there.'),
  type: z.enum(PAGE_TYPES).optional().describe('Only URLs of this type, by their extension.'),
  q: searchText.optional().describe('Only URLs with this text in the URL or the title, ignoring case.'),
};

const answered = z.enum(URL_ANSWERS).optional().describe('Only URLs with this answer.');

/** GET /urls, /urls/export; POST /urls/delete. */
export function urlRoutes(api: Api, { jobs, reads, streamShares }: SurfaceDeps): void {
  const { read } = keyDialect.websiteId;
  const shared = { tag: 'URLs (key API)', params: urlParams } as const;
  api.get(URLS, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'listUrlsV1',
    summary: 'List URLs',
    description: 'The URLs of a website with what answers them in an environment now, by the live rules.',
    returns: 'A page of URLs, worst first by default: by weight, ties by URL.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'BUSY'],
    example: { path: { id: '1' }, query: { state: 'living', limit: 2 } },
    querystring: queryObject({
      ...filterFields,
      answered,
      sort: z.enum(SORTS).optional().describe('The order; `-` is descending. Default `-weight`.'),
      draft: queryBoolean.default(false).describe('Adds `draft` to lost URLs. Default false.'),
      suggest: queryBoolean.default(false).describe('Suggests targets for the lost URLs of the page. Default false.'),
      ...pageParameters(1_000, DEFAULT_LIMIT),
      ...staleness,
    }),
    response: { 200: UrlPage },
    async handler({ actor, params, query: { limit = DEFAULT_LIMIT, maxStaleness, suggest, ...query } }) {
      const isStandby = reads.isFromStandby(maxStaleness);
      const place = { websiteId: read(params.id), environment: query.environment };
      const page = await jobs.listUrls(actor, { ...place, limit, ...query, isStandby });
      if (!suggest) return page;
      const lost = page.urls.filter(needsRedirect).map(({ url }) => url);
      const found = await jobs.suggestTargets(actor, { ...place, urls: lost, waitMs: SUGGEST_WAIT_MS });
      const suggested = new Map(lost.map((url, index) => [url, found.suggested[index]]));
      const urls = page.urls.map((each) => ({ ...each, ...suggestedBody(suggested.get(each.url)) }));
      return { ...page, urls, pending: found.isPending };
    },
  });

  api.get(`${URLS}/export`, {
    config: {
      forDashboard: true,
      gives: { 'text/csv': z.string(), 'application/x-ndjson': z.string(), 'application/xml': z.string() },
    },
    ...shared,
    exposeHeadRoute: false,
    operationId: 'exportUrlsV1',
    summary: 'Export URLs',
    description: 'All URLs that the filter finds. A sitemap has the living ones, on the first host of the environment.',
    returns: 'The file, in the order of the URLs.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'BUSY'],
    responseHeaders: ['Content-Disposition'],
    example: { path: { id: '1' }, query: { format: 'csv', list: 'docs' } },
    querystring: queryObject({
      ...filterFields,
      answered,
      format: z.enum(URL_FORMATS).default('csv').describe('The format. Default `csv`.'),
      ...staleness,
    }),
    async handler({ actor, params, query: { maxStaleness, ...query } }, reply) {
      const { type, name } = FILES[query.format];
      void reply.type(`${type}; charset=utf-8`).header('Content-Disposition', `attachment; filename="${name}"`);
      const input = { websiteId: read(params.id), ...query, isStandby: reads.isFromStandby(maxStaleness) };
      return sendStream(reply, streamShares.jobs(actor), () => jobs.exportUrls(actor, input));
    },
  });

  api.post(`${URLS}/delete`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'deleteUrlsV1',
    summary: 'Delete URLs',
    description: 'Deletes URLs, also from every list until its next push.',
    returns: 'The number of deleted URLs.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BUSY'],
    example: { path: { id: '1' }, body: { filter: { state: 'known', source: 'visitors' } } },
    body: bodyObject(
      {
        url_ids: z.array(z.string()).optional().describe('The ids of the URLs, 1 to 10,000; unknown ones are ignored.'),
        filter: z
          .strictObject(filterFields)
          .optional()
          .describe('Instead of ids: the filters of the list. An empty filter finds all.'),
      },
      { atLeastOne: true },
    ),
    response: { 200: z.object({ deleted: z.int().describe('The deleted URLs.') }) },
    async handler({ actor, params, body: { urlIds, filter } }) {
      const websiteId = read(params.id);
      if (urlIds && filter) throw wrongParameter('filter', 'must not be beside url_ids; send one of them');
      if (!urlIds && !filter) throw missing('url_ids', 'required, or filter');
      const selection = filter ? { filter } : { urlIds: checkedIds(urlIds ?? []) };
      return { deleted: await jobs.deleteUrls(actor, { websiteId, selection }) };
    },
  });
}

/** A lost URL, unless an undeployed redirect answers it. */
const needsRedirect = ({ answered: now, draft }: ListedUrl): boolean =>
  now === 'lost' && (draft === undefined || draft.answered === 'lost');

function suggestedBody(found: Suggested | undefined) {
  if (!found) return {};
  const { suggested, confidence, suggestions } = found;
  return { suggested, confidence, suggestions: suggested === 'redirect' ? suggestions.slice(0, MAX_SUGGESTIONS) : [] };
}

const FILES: Record<UrlFormat, { type: string; name: string }> = {
  csv: { type: 'text/csv', name: 'urls.csv' },
  ndjson: { type: 'application/x-ndjson', name: 'urls.ndjson' },
  sitemap: { type: 'application/xml', name: 'sitemap.xml' },
};

function checkedIds(ids: string[]): number[] {
  if (ids.length < 1 || ids.length > MAX_IDS) throw wrongParameter('url_ids', 'must have 1 to 10,000 ids');
  return ids.filter((id) => /^[1-9]\d{0,15}$/.test(id)).map(Number);
}

/** All URLs of a website as a file. */
import { type Db, inSnapshot } from '../db/connection/client.ts';
import { copyRows, inlineSql } from '../db/copy/copy-rows.ts';
import { sql } from '../db/drizzle.ts';
import { fetchRows } from '../db/rows.ts';
import { STATE_NUMBERS, statedUrls } from '../deployments/gate/urls/url-weight.ts';
import type { LiveRules } from '../deployments/live/live-registry.ts';
import { siteAgainst } from '../deployments/publish/rules-against.ts';
import { csvRow } from '../formats/write/csv.ts';
import { isoSeconds } from '../platform/clock.ts';
import { firstHost } from '../resolver/own-hosts.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { UrlAnswer, UrlState } from '../vocabulary/urls.ts';
import { requireWebsite } from '../websites/website.ts';
import { createClassifier } from './answered.ts';
import { urlCondition, type UrlFilter } from './url-filter.ts';

export const URL_FORMATS = ['csv', 'ndjson', 'sitemap'] as const;
export type UrlFormat = (typeof URL_FORMATS)[number];

const CSV_COLUMNS = ['url', 'state', 'title', 'description', 'headline', 'clicks', 'links', 'first_seen_at'];

const COLUMNS = sql`v.url, v.state::text, v.title, v.description, v.headline, v.clicks::text, v.links::text,
  (v.first_seen_at at time zone 'UTC')::text`;

export interface UrlExport extends UrlFilter {
  format: UrlFormat;
  answered?: UrlAnswer | undefined;
}

/**
 * Yields all URLs that the filter finds as a file, in the order of the URLs, from one snapshot. A sitemap has the living
 * ones, on the first host of the environment. Throws WEBSITE_NOT_FOUND before the first chunk. `live` is undefined if
 * nothing is live.
 */
export async function* exportUrls(
  streams: Db,
  actor: Actor,
  { format, answered, ...given }: UrlExport,
  { live, now }: { live: LiveRules | undefined; now: Date },
): AsyncGenerator<string> {
  const { websiteId, environment } = given;
  const filter: UrlFilter = format === 'sitemap' ? { ...given, state: 'living' } : given;
  const place = { websiteId, environment, against: 'live' } as const;
  const site = answered && (await siteAgainst(streams, actor, place, live));
  yield* inSnapshot(streams, async function* (snapshot, client) {
    const { hosts, pageParameters } = await requireWebsite(snapshot, actor, websiteId);
    const { head, row, tail } = writers(firstHost(hosts, environment) ?? 'localhost')[format];
    yield head;
    const found = sql`from (${statedUrls(filter)}) v where ${urlCondition(filter)} order by v.url`;
    if (!site) {
      const query = inlineSql(sql`select ${COLUMNS} ${found}`);
      for await (const rows of copyRows(client, query)) yield rows.map(row).join('');
    } else {
      const classify = await createClassifier(snapshot, site, pageParameters, now);
      const query = sql`select array[${COLUMNS}] as cells ${found}`;
      for await (const batch of fetchRows<{ cells: Cells }>(snapshot, query, BATCH_SIZE)) {
        const rows = batch.map(({ cells }) => cells);
        const answers = await classify(rows.map(([url, state]) => ({ url: url ?? '', state: stateOf(state) })));
        yield rows
          .filter((_, index) => answers[index]?.answered === answered)
          .map(row)
          .join('');
      }
    }
    if (tail !== '') yield tail;
  });
}

const BATCH_SIZE = 1_000;

const stateOf = (number: string | null | undefined): UrlState => STATE_NUMBERS[Number(number)] ?? 'known';

type Cells = (string | null)[];

function writers(host: string): Record<UrlFormat, { head: string; row: (cells: Cells) => string; tail: string }> {
  const named = ([url, state, title, description, headline, clicks, links, seen]: Cells): Cells => [
    // As a path, two slashes would name a host.
    url?.startsWith('//') ? `https://${host}${url}` : (url ?? ''),
    stateOf(state),
    title ?? null,
    description ?? null,
    headline ?? null,
    clicks ?? null,
    links ?? null,
    isoSeconds(new Date(`${seen?.replace(' ', 'T')}Z`)),
  ];
  const number = (cell: string | null | undefined): number | null => (cell == null ? null : Number(cell));
  return {
    csv: { head: csvRow(CSV_COLUMNS), row: (cells) => csvRow(named(cells)), tail: '' },
    ndjson: {
      head: '',
      row: (cells) => {
        const [url, state, title, description, headline, clicks, links, seen] = named(cells);
        const counts = { clicks: number(clicks), links: number(links), first_seen_at: seen };
        return `${JSON.stringify({ url, state, title, description, headline, ...counts })}\n`;
      },
      tail: '',
    },
    sitemap: {
      head: '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n',
      row: ([url]) => `<url><loc>https://${host}${escapeXml(url ?? '')}</loc></url>\n`,
      tail: '</urlset>\n',
    },
  };
}

const ENTITIES: Record<string, string> = { '&': '&amp;', "'": '&apos;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string): string => text.replace(/[&'<>"]/g, (character) => ENTITIES[character] ?? character);

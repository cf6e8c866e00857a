/** All URLs of a website as a file. */
import { type Db, inSnapshot } from '../db/connection/client.ts';
import { copyRows, inlineSql } from '../db/copy/copy-rows.ts';
import { sql } from '../db/drizzle.ts';
import { STATE_NUMBERS, statedUrls } from '../deployments/gate/urls/url-weight.ts';
import { csvRow } from '../formats/write/csv.ts';
import { isoSeconds } from '../platform/clock.ts';
import { firstHost } from '../resolver/own-hosts.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { requireWebsite } from '../websites/website.ts';
import { urlCondition, type UrlFilter } from './url-filter.ts';

export const URL_FORMATS = ['csv', 'ndjson', 'sitemap'] as const;
export type UrlFormat = (typeof URL_FORMATS)[number];

const CSV_COLUMNS = ['url', 'state', 'title', 'description', 'headline', 'clicks', 'links', 'first_seen_at'];

/**
 * Yields all URLs that the filter finds as a file, in the order of the URLs, from one snapshot. A sitemap has the living
 * ones, on the first host of the environment. Throws WEBSITE_NOT_FOUND before the first chunk.
 */
export async function* exportUrls(
  streams: Db,
  actor: Actor,
  input: UrlFilter & { format: UrlFormat },
): AsyncGenerator<string> {
  const { format, ...given } = input;
  const filter: UrlFilter = format === 'sitemap' ? { ...given, state: 'living' } : given;
  yield* inSnapshot(streams, async function* (snapshot, client) {
    const { hosts } = await requireWebsite(snapshot, actor, input.websiteId);
    const query = inlineSql(sql`
      select v.url, v.state, v.title, v.description, v.headline, v.clicks, v.links, v.first_seen_at at time zone 'UTC'
      from (${statedUrls(filter)}) v where ${urlCondition(filter)} order by v.url`);
    const { head, row, tail } = writers(firstHost(hosts, input.environment) ?? 'localhost')[format];
    yield head;
    for await (const rows of copyRows(client, query)) yield rows.map(row).join('');
    if (tail !== '') yield tail;
  });
}

type Cells = (string | null)[];

function writers(host: string): Record<UrlFormat, { head: string; row: (cells: Cells) => string; tail: string }> {
  const named = ([url, state, title, description, headline, clicks, links, seen]: Cells): Cells => [
    url ?? '',
    STATE_NUMBERS[Number(state)] ?? 'known',
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

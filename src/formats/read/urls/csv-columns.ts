import { type DomainError, invalid } from '../../../vocabulary/error.ts';
import { show } from '../../rows/cells.ts';
import { normalHeader } from '../csv/column-role.ts';

/**
 * Headers by role, as `normalHeader` writes them. A file may have columns of several lines: the first line wins.
 * Search Console translates its headers.
 */
const NAMES = {
  url: [
    `address url pageurl fullurl targeturl targetpage loc toppages pageslespluspopulaires diehäufigstenseiten
     häufigsteseiten páginasprincipales 上位のページ самыепопулярныестраницы 排名靠前的网页`,
    'page uri permalink 页面',
    'sourceurl landingpage',
  ],
  title: ['title title1 pagetitle metatitle', 'sourcetitle'],
  description: ['description metadescription metadescription1'],
  headline: ['headline h1 h11'],
  clicks: ['clicks klicks clics クリック数 клики 点击次数'],
  links: [
    'referringdomains refdomains domainsnum linkingsites linkingdomains',
    'links backlinks backlinksnum externalbacklinks incominglinks linkstotarget',
  ],
  status: ['statuscode httpstatuscode responsecode httpcode pagehttpcode targetpagehttpcode', 'status httpstatus'],
  noindex: ['noindex'],
  robots: ['metarobots metarobots1 robots'],
  header: ['xrobotstag xrobotstag1'],
  reason: ['indexabilitystatus indexablestatus'],
  indexable: ['indexable indexability'],
  state: ['state'],
  canonical: ['canonical canonicalurl canonicallinkelement canonicallinkelement1'],
} satisfies Record<string, string[]>;

type Role = keyof typeof NAMES;

/** The columns of the URLs and of what the file says about them. */
export interface UrlColumns {
  at: Partial<Record<Role, number>> & { url: number };
  /** cells of the header row; more make a row invalid */
  width: number;
  /** headers that are known */
  known: number;
  /** Every row is a link from another page to the URL. */
  isBacklink: boolean;
}

const RANKS = new Map(
  Object.entries(NAMES).flatMap(([role, lines]) =>
    lines.flatMap((names, rank) => names.split(/\s+/).map((name) => [name, { role: role as Role, rank }] as const)),
  ),
);

/** Header of the page that links, in files of backlinks. */
const LINKING = ['referringpageurl', 'sourceurl', 'linkingpage'];

/** Headers that a message proposes. */
const KNOWN = 'URL, Address, Page, Page URL, Target URL, Top pages';

/** Returns undefined if no cell is the header of a column with URLs. Throws DUPLICATE_COLUMN if several are. */
export function urlColumns(cells: readonly string[]): UrlColumns | undefined {
  const names = cells.map(normalHeader);
  const found: Partial<Record<Role, { at: number; rank: number }>> = {};
  names.forEach((name, at) => {
    const { role, rank } = RANKS.get(name) ?? {};
    if (role === undefined || rank === undefined) return;
    const other = found[role];
    if (other?.rank === rank && role === 'url') {
      const both = `${show(cells[other.at] ?? '')} and ${show(cells[at] ?? '')} both have URLs; rename one`;
      throw invalid('body', both, 'DUPLICATE_COLUMN');
    }
    if (!other || rank < other.rank) found[role] = { at, rank };
  });
  if (!found.url) return undefined;
  const known = names.filter((name) => RANKS.has(name)).length;
  const isBacklink = LINKING.some((name) => names.includes(name) && names[found.url?.at ?? -1] !== name);
  // Such a file has these of the page that links.
  if (isBacklink) {
    delete found.links;
    delete found.title;
  }
  const at = Object.fromEntries(Object.entries(found).map(([role, column]) => [role, column.at]));
  return { at: { ...at, url: found.url.at }, width: cells.length, known, isBacklink };
}

/** The error of a file of several columns whose headers are unknown. */
export function missingColumn(cells: readonly string[]): DomainError {
  const shown = cells.slice(0, 10).map(show).join(', ');
  const found = cells.length > 10 ? `${shown} and ${cells.length - 10} more` : shown;
  return invalid('body', `name the column of the URLs in the first line: ${KNOWN}; it has ${found}`, 'MISSING_COLUMN');
}

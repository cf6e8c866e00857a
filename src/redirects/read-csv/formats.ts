/**
 * Files of tools that use a known name for something else, or whose columns have a meaning only together. A format is
 * recognised by a set of headers that no other tool's file has.
 */
import { type ColumnRole, type HeaderNames, rolesByHeader } from './column-role.ts';

/** `has`: normal headers, all of which a file of the format has. */
const format = <Name extends string>(name: Name, has: string, headers: HeaderNames = {}) => ({
  name,
  has: has.split(' '),
  roles: rolesByHeader(headers),
});

const FORMATS = [
  format('wordpress-redirection', 'source target regex code', {
    action: 'type',
    state: 'status',
    condition: 'match',
  }),
  format('rank-math', 'source matching destination', {
    status_code: 'type',
    state: 'status',
    option: 'ignore',
  }),
  format('akamai', 'matchurl resultredirecturl', {
    old_path_parts: 'path',
    host: 'host',
    condition: 'scheme query',
    ignored: 'resultuseincomingschemeandhost resultuserelativeurl',
  }),
  format('pagely', 'from to frompath topath', {
    old_path_parts: 'frompath',
    new_path_parts: 'topath',
    host: 'fromdomain',
    condition: 'fromscheme fromqueries toscheme todomain toqueries',
  }),
  format('sitedetour', 'sourcedomain path targeturl', { host: 'sourcedomain', ignored: 'team' }),
  format('klq', 'path location validuntil', { condition: 'validuntil validuntilurl', ignored: 'timezone' }),
  format('magento', 'requestpath targetpath', { ignored: 'source createdby batchid' }),
  format('shlink', 'longurl shortcode'),
  format('screaming-frog', 'address finaladdress', {
    ignored: 'redirecturl status numberofredirects chainlength',
  }),
  format('screaming-frog', 'address redirecturl', { ignored: 'status numberofredirects chainlength' }),
  format('cloudflare', 'sourceurl targeturl'),
  format('redirectiq', 'sourcepath destination'),
  format('vercel', 'source destination permanent'),
  format('vercel', 'source destination preservequeryparams'),
  format('yoast', 'origin target type format'),
  // SEOPress writes no header; the list of an import's errors adds one.
  format('seopress', 'url target type categories login', {
    old_path: 'url',
    status_code: 'type',
    group_id: 'categories',
    condition: 'login',
  }),
];

/** Returns the first format whose headers the file has. */
export function formatOf(headers: readonly string[]) {
  return FORMATS.find((format) => format.has.every((name) => headers.includes(name)));
}

/** A file without a header row: its columns by position, with the names that the tool gives them. */
const shape = <Name extends string>(name: Name, columns: Record<string, ColumnRole>) => ({
  name,
  columns: Object.entries(columns).map(([header, role]) => ({ header, role })),
});

const POSITIONAL = shape('positional', {
  old_path: 'old_path',
  new_path: 'new_path',
  status_code: 'status_code',
});

const CLOUDFLARE = shape('cloudflare', {
  SOURCE_URL: 'old_path',
  TARGET_URL: 'new_path',
  STATUS: 'status_code',
  PRESERVE_QUERY_STRING: 'query',
  INCLUDE_SUBDOMAINS: 'condition',
  SUBPATH_MATCHING: 'subpaths',
  PRESERVE_PATH_SUFFIX: 'suffix',
});

const SEOPRESS = shape('seopress', {
  url: 'old_path',
  target: 'new_path',
  type: 'status_code',
  enabled: 'enabled',
  query: 'query',
  count: 'ignored',
  categories: 'group_id',
  regex: 'is_regex',
  login: 'condition',
});

export type FormatName = 'plain' | (typeof FORMATS)[number]['name'] | NonNullable<ReturnType<typeof shapeOf>>['name'];

const FLAG = /^(true|false|)$/i;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const HOST_AND_PATH = /^([a-z0-9-]+\.)+[a-z][a-z0-9-]*\.?(:\d+)?(\/|$)/i;
const SEOPRESS_QUERY = /^(exact_match|without_param|with_ignored_param)?$/;

/** Returns the shape of a file by its first row; undefined if that row is an unknown header. */
export function shapeOf(cells: readonly string[]) {
  const [first = '', second = '', third = ''] = cells;
  const flags = cells.slice(3, 7);
  const isSeoPress = cells.length === 9 && /^\d*$/.test(third) && SEOPRESS_QUERY.test(cells[4] ?? '?');
  if (isSeoPress) return SEOPRESS;
  const isCloudflare =
    cells.length <= 7 && flags.every((cell) => FLAG.test(cell)) && (flags.length > 0 || !looksLikeSource(first));
  if (isCloudflare && (looksLikeSource(first) || HOST_AND_PATH.test(first)) && ADDRESS.test(second)) return CLOUDFLARE;
  return looksLikeSource(first) ? POSITIONAL : undefined;
}

/** True for a path, a pattern and an absolute URL, which are never the name of a column. */
export function looksLikeSource(cell: string): boolean {
  return cell.startsWith('/') || cell.startsWith('^/') || ADDRESS.test(cell);
}

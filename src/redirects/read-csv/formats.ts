/**
 * Files of tools that use a known name for something else, or whose columns have a meaning only together. A format is
 * recognised by a set of headers that no other tool's file has.
 */
import type { ColumnRole } from './column-role.ts';

export type FormatName =
  | 'plain'
  | 'positional'
  | 'cloudflare'
  | 'seopress'
  | 'rank-math'
  | 'akamai'
  | 'redirectiq'
  | 'wordpress-redirection'
  | 'pagely'
  | 'sitedetour'
  | 'klq'
  | 'magento'
  | 'shlink'
  | 'screaming-frog';

export interface Format {
  name: FormatName;
  /** normal headers; a file of the format has all of them */
  has: readonly string[];
  roles: Readonly<Record<string, ColumnRole>>;
}

export const FORMATS: readonly Format[] = [
  {
    name: 'wordpress-redirection',
    has: ['source', 'target', 'regex', 'code'],
    roles: { type: 'action', status: 'state', match: 'condition' },
  },
  {
    name: 'rank-math',
    has: ['source', 'matching', 'destination'],
    roles: { type: 'status_code', status: 'state', ignore: 'option' },
  },
  {
    name: 'akamai',
    has: ['matchurl', 'resultredirecturl'],
    roles: {
      path: 'old_path_parts',
      host: 'host',
      scheme: 'condition',
      query: 'condition',
      resultuseincomingschemeandhost: 'ignored',
      resultuserelativeurl: 'ignored',
    },
  },
  {
    name: 'pagely',
    has: ['from', 'to', 'frompath', 'topath'],
    roles: {
      frompath: 'old_path_parts',
      topath: 'new_path_parts',
      fromscheme: 'condition',
      fromdomain: 'host',
      fromqueries: 'condition',
      toscheme: 'condition',
      todomain: 'condition',
      toqueries: 'condition',
    },
  },
  {
    name: 'sitedetour',
    has: ['sourcedomain', 'path', 'targeturl'],
    roles: { sourcedomain: 'host', team: 'ignored' },
  },
  {
    name: 'klq',
    has: ['path', 'location', 'validuntil'],
    roles: { validuntil: 'condition', validuntilurl: 'condition', timezone: 'ignored' },
  },
  {
    name: 'magento',
    has: ['requestpath', 'targetpath'],
    roles: { source: 'ignored', createdby: 'ignored', batchid: 'ignored' },
  },
  { name: 'shlink', has: ['longurl', 'shortcode'], roles: {} },
  {
    name: 'screaming-frog',
    has: ['address', 'finaladdress'],
    roles: {
      redirecturl: 'ignored',
      status: 'ignored',
      numberofredirects: 'ignored',
      chainlength: 'ignored',
    },
  },
  {
    name: 'screaming-frog',
    has: ['address', 'redirecturl'],
    roles: { status: 'ignored', numberofredirects: 'ignored', chainlength: 'ignored' },
  },
  {
    name: 'cloudflare',
    has: ['sourceurl', 'targeturl'],
    roles: {},
  },
  { name: 'redirectiq', has: ['sourcepath', 'destination'], roles: {} },
];

/** Returns the first format whose headers the file has. */
export function formatOf(headers: readonly string[]): Format | undefined {
  return FORMATS.find((format) => format.has.every((name) => headers.includes(name)));
}

/** A file without a header row: its columns by position. */
export interface Shape {
  name: FormatName;
  columns: readonly { header: string; role: ColumnRole }[];
}

const POSITIONAL: Shape = {
  name: 'positional',
  columns: [
    { header: 'old_path', role: 'old_path' },
    { header: 'new_path', role: 'new_path' },
    { header: 'status_code', role: 'status_code' },
  ],
};

const CLOUDFLARE: Shape = {
  name: 'cloudflare',
  columns: [
    { header: 'SOURCE_URL', role: 'old_path' },
    { header: 'TARGET_URL', role: 'new_path' },
    { header: 'STATUS', role: 'status_code' },
    { header: 'PRESERVE_QUERY_STRING', role: 'query' },
    { header: 'INCLUDE_SUBDOMAINS', role: 'condition' },
    { header: 'SUBPATH_MATCHING', role: 'subpaths' },
    { header: 'PRESERVE_PATH_SUFFIX', role: 'suffix' },
  ],
};

const SEOPRESS: Shape = {
  name: 'seopress',
  columns: [
    { header: 'url', role: 'old_path' },
    { header: 'target', role: 'new_path' },
    { header: 'type', role: 'status_code' },
    { header: 'enabled', role: 'enabled' },
    { header: 'query', role: 'query' },
    { header: 'count', role: 'ignored' },
    { header: 'categories', role: 'group_id' },
    { header: 'regex', role: 'is_regex' },
    { header: 'login', role: 'condition' },
  ],
};

const FLAG = /^(true|false|)$/i;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const HOST_AND_PATH = /^([a-z0-9-]+\.)+[a-z][a-z0-9-]*\.?(:\d+)?(\/|$)/i;
const SEOPRESS_QUERY = /^(exact_match|without_param|with_ignored_param)?$/;

/** Returns the shape of a file by its first row; undefined if that row is an unknown header. */
export function shapeOf(cells: readonly string[]): Shape | undefined {
  const [first = '', second = '', third = ''] = cells;
  const flags = cells.slice(3, 7);
  const isSeoPress = cells.length === 9 && /^\d*$/.test(third) && SEOPRESS_QUERY.test(cells[4] ?? '?');
  if (isSeoPress) return SEOPRESS;
  const isCloudflare =
    cells.length <= 7 &&
    flags.every((cell) => FLAG.test(cell)) &&
    (flags.length > 0 || !looksLikeSource(first));
  if (isCloudflare && (looksLikeSource(first) || HOST_AND_PATH.test(first)) && ADDRESS.test(second))
    return CLOUDFLARE;
  return looksLikeSource(first) ? POSITIONAL : undefined;
}

/** True for a path, a pattern and an absolute URL, which are never the name of a column. */
export function looksLikeSource(cell: string): boolean {
  return cell.startsWith('/') || cell.startsWith('^/') || ADDRESS.test(cell);
}

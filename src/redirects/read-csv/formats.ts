// The files of tools that give one of our names to something else, or whose columns mean something only together.
// A format is recognised by headers that stand side by side in no other tool's file.
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
  /** normal headers, all of which must be there */
  has: readonly string[];
  meanings: Readonly<Record<string, ColumnRole>>;
}

export const FORMATS: readonly Format[] = [
  {
    name: 'wordpress-redirection',
    has: ['source', 'target', 'regex', 'code'],
    meanings: { type: 'action', status: 'state', match: 'condition' },
  },
  {
    name: 'rank-math',
    has: ['source', 'matching', 'destination'],
    meanings: { type: 'status_code', status: 'state', ignore: 'option' },
  },
  {
    name: 'akamai',
    has: ['matchurl', 'resultredirecturl'],
    meanings: {
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
    meanings: {
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
    meanings: { sourcedomain: 'host', team: 'ignored' },
  },
  {
    name: 'klq',
    has: ['path', 'location', 'validuntil'],
    meanings: { validuntil: 'condition', validuntilurl: 'condition', timezone: 'ignored' },
  },
  {
    name: 'magento',
    has: ['requestpath', 'targetpath'],
    meanings: { source: 'ignored', createdby: 'ignored', batchid: 'ignored' },
  },
  { name: 'shlink', has: ['longurl', 'shortcode'], meanings: {} },
  {
    name: 'screaming-frog',
    has: ['address', 'finaladdress'],
    meanings: {
      redirecturl: 'ignored',
      status: 'ignored',
      numberofredirects: 'ignored',
      chainlength: 'ignored',
    },
  },
  {
    name: 'screaming-frog',
    has: ['address', 'redirecturl'],
    meanings: { status: 'ignored', numberofredirects: 'ignored', chainlength: 'ignored' },
  },
  {
    name: 'cloudflare',
    has: ['sourceurl', 'targeturl'],
    meanings: {},
  },
  { name: 'redirectiq', has: ['sourcepath', 'destination'], meanings: {} },
];

/** The first format all of whose headers are there. */
export function formatOf(headers: readonly string[]): Format | undefined {
  return FORMATS.find((format) => format.has.every((name) => headers.includes(name)));
}

/** A file without header: what its columns mean by their place. */
export interface Shape {
  name: FormatName;
  columns: readonly { header: string; meaning: ColumnRole }[];
}

const POSITIONAL: Shape = {
  name: 'positional',
  columns: [
    { header: 'old_path', meaning: 'old_path' },
    { header: 'new_path', meaning: 'new_path' },
    { header: 'status_code', meaning: 'status_code' },
  ],
};

const CLOUDFLARE: Shape = {
  name: 'cloudflare',
  columns: [
    { header: 'SOURCE_URL', meaning: 'old_path' },
    { header: 'TARGET_URL', meaning: 'new_path' },
    { header: 'STATUS', meaning: 'status_code' },
    { header: 'PRESERVE_QUERY_STRING', meaning: 'query' },
    { header: 'INCLUDE_SUBDOMAINS', meaning: 'condition' },
    { header: 'SUBPATH_MATCHING', meaning: 'subpaths' },
    { header: 'PRESERVE_PATH_SUFFIX', meaning: 'suffix' },
  ],
};

const SEOPRESS: Shape = {
  name: 'seopress',
  columns: [
    { header: 'url', meaning: 'old_path' },
    { header: 'target', meaning: 'new_path' },
    { header: 'type', meaning: 'status_code' },
    { header: 'enabled', meaning: 'enabled' },
    { header: 'query', meaning: 'query' },
    { header: 'count', meaning: 'ignored' },
    { header: 'categories', meaning: 'group_id' },
    { header: 'regex', meaning: 'is_regex' },
    { header: 'login', meaning: 'condition' },
  ],
};

const FLAG = /^(true|false|)$/i;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const HOST_AND_PATH = /^([a-z0-9-]+\.)+[a-z][a-z0-9-]*\.?(:\d+)?(\/|$)/i;
const SEOPRESS_QUERY = /^(exact_match|without_param|with_ignored_param)?$/;

/** The shape of a file by its first row, or undefined: then the first row is a header that is not known. */
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

/** A path (of a pattern too) or an absolute address: never the name of a column. */
export function looksLikeSource(cell: string): boolean {
  return cell.startsWith('/') || cell.startsWith('^/') || ADDRESS.test(cell);
}

/** Maps from the path to a target, and the maps of our own export, from the path to a status and a target. */
import { isIssue } from '../../../../vocabulary/error.ts';
import { slashTwin } from '../../../../resolver/precedence.ts';
import { nginxTarget } from './nginx-target.ts';
import { plainPath, searchedPattern, type SearchedPattern } from '../search-pattern.ts';
import { type Finding, inexact, malformed } from '../statement.ts';

/** How a return or rewrite uses the variable of a map. */
export interface MapUse {
  statusCode: number;
  /** its target, with the variable */
  target: string;
  /** a rewrite passes the query on */
  appends: boolean;
}

export interface MapBlock {
  /** without its dollar */
  variable: string;
  use: MapUse | undefined;
  /** a map of our own export: `"<status> <path> <target> <fragment>"` */
  isOwn: boolean;
  /** the map is of `$request_uri`, which has the query */
  hasQuery: boolean;
  previous?: { path: string; value: string } | undefined;
}

/** Undefined if the map is not of paths. */
export function openMap([from = '', to = '']: readonly string[], uses: ReadonlyMap<string, MapUse>) {
  const variable = to.replace(/^\$/, '');
  const isOwn = to === '$detour_rule';
  if (!isOwn && !['$uri', '$document_uri', '$request_uri'].includes(from)) return undefined;
  if (!isOwn && to.startsWith('$detour_')) return undefined;
  return { variable, use: uses.get(variable), isOwn, hasQuery: from === '$request_uri' };
}

export function mapEntry(words: string[], map: MapBlock): Finding | undefined {
  const [key = '', value = ''] = words;
  if (words.length === 1) return { ignored: `map ${key}` };
  if (key === 'default')
    return value === '' || value === '0' ? undefined : inexact('a target for all other paths cannot be imported');
  if (key === 'include') return { ignored: 'include' };
  if (value === '' || value === '0') return inexact('an exception of a map cannot be imported');
  const isSearched = key.startsWith('~');
  const ignoresCase = !isSearched || key.startsWith('~*');
  const searched = isSearched
    ? searchedPattern(key.replace(/^~\*?|(?<=\()\?<\w+>/g, '').replace(/\\z$/, '$'), false)
    : plainPath(key.replace(/^\\/, ''));
  if (isIssue(searched)) return searched;
  if (map.isOwn) return ownEntry(key, value, searched, map);
  const groups = [...key.matchAll(/\(\?<(\w+)>/g)].map(([, name = '']) => name);
  const { variable, use } = map;
  const named = groups.reduce(
    (text, name, at) => text.replaceAll(new RegExp(`\\$\\{?${name}\\b\\}?`, 'g'), `\${${at + 1}}`),
    value,
  );
  // A file with nothing but the map says neither the status nor where the query goes.
  const target = use ? use.target.replace(new RegExp(`\\$\\{?${variable}\\b\\}?`), () => named) : named;
  const read = nginxTarget(target, searched, use?.appends === true);
  if (isIssue(read)) return read;
  return {
    ...read,
    statusCode: use?.statusCode ?? 301,
    ignoresCase,
    phase: phaseOf(key),
    conversion: searched.conversion,
    isQueryLoosened: map.hasQuery && !isSearched,
  };
}

const phaseOf = (key: string): number => (key.startsWith('~') ? 3 : 1);

/** The two spellings of the final slash follow one another, with the same value. */
function ownEntry(key: string, value: string, searched: SearchedPattern, map: MapBlock): Finding | undefined {
  const [status = '', , target = '', fragment = ''] = value.split(' ');
  const rest = `${status} ${target} ${fragment}`;
  const { previous } = map;
  if (previous && previous.value === rest && slashTwin(previous.path) === key) {
    map.previous = undefined;
    return undefined;
  }
  if (!/^\d{3}$/.test(status)) return malformed('the value has no status; export the redirects again');
  map.previous = { path: key, value: rest };
  const phase = phaseOf(key);
  const common = { statusCode: Number(status), phase, ignoresCase: key.startsWith('~*'), query: 'pass' as const };
  if (target === '') return { ...common, source: searched.source, target: null };
  const text = `${target}${fragment}`
    .replaceAll('${detour_dollar}', '\u0001')
    .replace(/\$\{detour_group(\d+)\}/g, '${$1}');
  const read = nginxTarget(text, { ...searched, hasSlashInGroup: false }, false);
  if (isIssue(read)) return read;
  return { ...common, source: searched.source, target: restored(read.target, searched) };
}

const restored = (target: string, { source }: SearchedPattern): string =>
  target.replaceAll('\u0001', source.kind === 'pattern' ? '$$$$' : '$$');

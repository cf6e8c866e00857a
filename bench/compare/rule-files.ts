/** The same rules in the formats of the other servers: the service's own exports, and files as one writes them by hand. */
import { SERVER_FORMATS } from '../../src/formats/write/export-formats.ts';
import { literalRule } from '../../src/formats/write/servers/literal-rule.ts';
import { createNameSets } from '../../src/formats/write/servers/passed-query.ts';
import type { ServerSite } from '../../src/formats/write/servers/server-format.ts';
import { type BenchRow, benchRow } from '../rows.ts';

/** The number of rules, and the generation of the target of the rule CHANGED. */
export interface RuleSet {
  count: number;
  generation: number;
}

export const CHANGED = 7;

/** Matching options of the website, which the hand-written files have as well: only the exact path matches. */
export const OPTIONS = { caseSensitive: true, trailingSlash: 'exact', query: 'pass' } as const;

const CHUNK = 65_536;

export const ruleAt = ({ generation }: RuleSet, index: number): BenchRow =>
  benchRow(index, index === CHANGED ? generation : 0);

/** Yields the text of all rules, with `head` and `tail`, in chunks. */
function* textOf(rules: RuleSet, line: (row: BenchRow) => string, head = '', tail = ''): Generator<string> {
  let text = head;
  for (let index = 0; index < rules.count; index++) {
    text += line(ruleAt(rules, index));
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  yield text + tail;
}

/** The file that `GET /api/v1/redirects/bulk/export` writes for these rules. */
export function exported(rules: RuleSet, name: 'nginx' | 'apache' | 'caddy'): Generator<string> {
  const format = SERVER_FORMATS[name];
  const website = { id: 1, ...OPTIONS };
  const site: ServerSite = { website, environment: 'production', hosts: [], ownHosts: new Set(), state: 'live' };
  const sets = createNameSets();
  const line = ({ oldPath, newPath, status }: BenchRow): string => {
    const base = { id: oldPath, key: oldPath, oldPath, newPath, statusCode: status };
    const rule = literalRule({ ...base, isRegex: false, isScheduled: false, companions: [] }, site);
    const written = 'reason' in rule ? rule : format.rule(rule, site, sets);
    if (typeof written !== 'string') throw new Error(`${format.name} cannot express ${oldPath}: ${written.reason}`);
    return written;
  };
  const head = (format.head?.(site) ?? '') + (format.between?.(site) ?? '');
  return textOf(rules, line, head, format.tail?.(site, sets));
}

/** nginx: a map for each status. */
export function* nginxMaps(rules: RuleSet): Generator<string> {
  for (const status of [301, 302]) {
    const line = (row: BenchRow): string => (row.status === status ? `${row.oldPath} ${row.newPath};\n` : '');
    yield* textOf(rules, line, `map $uri $to_${status} {\n`, '}\n');
  }
}

/** Apache (before httxt2dbm) and HAProxy: a path, and its status and target in one word. */
export function statusMap(rules: RuleSet): Generator<string> {
  return textOf(rules, ({ oldPath, newPath, status }) => `${oldPath} ${status}${newPath}\n`);
}

/** Varnish has no map: comparisons, in a subroutine for the first two segments. One routine would compile for hours. */
export function* varnishRoutines(rules: RuleSet): Generator<string> {
  const routines = new Map<string, string>();
  for (let index = 0; index < rules.count; index++) {
    const { oldPath, newPath, status } = ruleAt(rules, index);
    const folder = oldPath.slice(0, oldPath.lastIndexOf('/') + 1);
    const line = `  if (req.url == "${oldPath}") { return (synth(${status}, "${newPath}")); }\n`;
    routines.set(folder, (routines.get(folder) ?? '') + line);
  }
  yield 'vcl 4.1;\nbackend default none;\n';
  let calls = '';
  for (const [folder, lines] of routines) {
    const name = folder.replaceAll('/', '_');
    yield `sub rules${name} {\n${lines}}\n`;
    calls += `${calls === '' ? 'if' : 'elsif'} (req.url ~ "^${folder}") { call rules${name}; }\n`;
  }
  yield `sub vcl_recv {\n${calls}return (synth(404));
}
sub vcl_synth {
  if (resp.status == 301 || resp.status == 302) { set resp.http.Location = resp.reason; set resp.reason = "Moved"; }
  set resp.body = "";
  return (deliver);
}
`;
}

/** Paths for the load tool, one a line. */
export function pathList(rules: RuleSet): Generator<string> {
  return textOf(rules, ({ oldPath }) => `${oldPath}\n`);
}

/** Recognizes a server file by the lines at its start, and by its name if they say nothing. */
import { invalid } from '../../../vocabulary/error.ts';
import { type PhysicalLine, physicalLines, type TextFile } from './physical-lines.ts';
import type { ServerFormat } from './statement.ts';

const SAMPLE_LINES = 500;
const MAX_SAMPLE = 64 * 1024;
/** Our export for Caddy. */
const CADDY = /\{detour_path\}/;
const FOR_CADDY =
  'the file is an export for Caddy, which cannot be read back; export the redirects as CSV or JSON, and import that file';
const OTHER_XML = 'the file is XML, but not a web.config of IIS; export the redirects as CSV, and import that file';
const SCRIPT = 'the file is a program; write the list of its redirects as JSON';

const SECTIONS =
  'IfModule|IfDefine|IfVersion|Directory|DirectoryMatch|VirtualHost|Files|FilesMatch|Location|LocationMatch|Limit';
const APACHE = new RegExp(
  `^(?:<(?:${SECTIONS})\\b[^>]*>|Redirect(?:Permanent|Temp)\\s+["']?/|RedirectMatch\\s+\\S|` +
    `Redirect\\s+(?:(?:\\d{3}|permanent|temp|seeother|gone)\\s+)?["']?/|Rewrite(?:Engine|Rule|Cond|Base|Options|Map)\\s+\\S)`,
  'i',
);
const NGINX =
  /^(?:location\s+(?:[=~^@"'/]|\S+\s*\{)|map\s+\S+\s+\$\w|(?:server|http|events)\s*\{|rewrite\s+\S+\s+\S+.*;|return\s+3\d\d\b.*;|if\s*\(|geo\s+\$|server_name\s+\S.*;|listen\s+\S.*;)/;
const NETLIFY = /^\/\S*[ \t]+(?:[^\s=,;|]+=\S+[ \t]+)*(?:\/|https?:\/\/|\d{3}!?(?:\s|$))/i;
/** Also without the status, which Squarespace demands: the row says so. */
const SQUARESPACE = /^\/\S*\s+->\s+\S/;
const HAS_DELIMITER = /[,;|\t]/;

const NAMES: [ServerFormat, RegExp][] = [
  ['netlify', /^_redirects(?:\.txt)?$/i],
  ['vercel', /^(?:vercel|now)\.json$/i],
  ['iis', /^(?:web|rewrite\w*)\.config$/i],
  ['firebase', /^firebase\b.*\.json$/i],
  ['next', /^next\.config\b.*\.json$/i],
  ['nginx', /^(?:nginx.*\.conf)$/i],
  ['apache', /^(?:\.?htaccess|httpd.*\.conf|apache.*\.conf)(?:\.txt)?$/i],
];

/**
 * Returns the format of the file, or undefined if it is CSV. Throws VALIDATION_ERROR if its name promises
 * a format that its content does not have.
 */
export async function recognizeServerFile(file: TextFile, fileName: string): Promise<ServerFormat | undefined> {
  const name = fileName.replace(/^.*[/\\]/, '');
  const named = NAMES.find(([, pattern]) => pattern.test(name))?.[0];
  const sample: PhysicalLine[] = [];
  if (/^(?:next|vercel)\.config\.[cm]?[jt]s$/i.test(name)) throw invalid('file', SCRIPT);
  for await (const lines of physicalLines(file)) {
    sample.push(...lines);
    if (sample.length >= SAMPLE_LINES) break;
  }
  if (sample.some(({ text }) => CADDY.test(text))) throw invalid('file', FOR_CADDY);
  const found = formatOfLines(sample, named);
  if (found) return found;
  if (named === undefined) return undefined;
  throw invalid('file', `the file is named ${name}, but has no line of that format; rename a CSV file to .csv`);
}

function formatOfLines(lines: readonly { text: string }[], named: ServerFormat | undefined): ServerFormat | undefined {
  let isFirst = true;
  for (const { text } of lines) {
    const line = text.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (/^[[{]/.test(line)) return formatOfJson(lines, named);
    if (line.startsWith('<') && isFirst && isIis(lines)) return 'iis';
    if (line.startsWith('<?xml') && isFirst) throw invalid('file', OTHER_XML);
    if (APACHE.test(line)) return 'apache';
    if (NGINX.test(line)) return 'nginx';
    if (SQUARESPACE.test(line)) return 'squarespace';
    const isRule = named === 'netlify' ? /^(?:\/|https?:\/\/)\S*\s/i.test(line) : isNetlify(line);
    if (isRule) return 'netlify';
    // A file of another format may begin with other directives, but a CSV file begins with its columns.
    if (isFirst && HAS_DELIMITER.test(line)) return undefined;
    isFirst = false;
  }
  return undefined;
}

/** An object with `hosting` is of Firebase, another one of Vercel, a list of Next.js unless it has the fields of Vercel's bulk redirects. */
function formatOfJson(lines: readonly { text: string }[], named: ServerFormat | undefined): ServerFormat | undefined {
  const text = lines
    .map((line) => line.text)
    .join(' ')
    .slice(0, MAX_SAMPLE);
  if (named === 'firebase' || /"hosting"\s*:\s*[[{]/.test(text)) return 'firebase';
  if (!/"(?:source|redirects)"\s*:/.test(text)) return named;
  if (named === 'next' || named === 'vercel') return named;
  const isBulk = /"caseSensitive"\s*:|"query"\s*:\s*(?:true|false)/.test(text);
  return isBulk || text.trimStart().startsWith('{') ? 'vercel' : 'next';
}

/** The root of a configuration of IIS, or of a part of it in its own file. */
const ROOT =
  /^<(?:(?:configuration|system\.webServer|rewrite|rules|rewriteMaps|httpRedirect|!DOCTYPE\s+configuration)[\s/>]|location\s+path=)/;

function isIis(lines: readonly { text: string }[]): boolean {
  const text = lines.map((line) => line.text).join('\n');
  let at = 0;
  for (;;) {
    at += /^\s*/.exec(text.slice(at, at + 1000))?.[0].length ?? 0;
    const end = text.startsWith('<?', at) ? '?>' : text.startsWith('<!--', at) ? '-->' : undefined;
    if (end === undefined) return ROOT.test(text.slice(at, at + 100));
    const found = text.indexOf(end, at);
    if (found < 0) return false;
    at = found + end.length;
  }
}

/** With a tab between source and target, a line is CSV as well, and means the same unless it has a wildcard. */
function isNetlify(line: string): boolean {
  return NETLIFY.test(line) && !HAS_DELIMITER.test(line.replace(/#.*$/, ''));
}

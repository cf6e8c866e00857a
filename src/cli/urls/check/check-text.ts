import { counted, firstLines } from '../../errors.ts';
import type { BrokenLink } from '../folder/links.ts';
import type { BuildCheck, LostUrl } from './check-build.ts';

export interface CheckResult extends BuildCheck {
  /** URLs that the build loses and the file of `--redirects` answers */
  answeredByFile: number;
  /** of a folder */
  brokenLinks: BrokenLink[];
  missingAnchors: BrokenLink[];
}

const REASONS: Record<string, string> = {
  dead_end: 'its redirect ends at a page that is gone',
  loop: 'its redirects are a loop',
};
const COUNTS = ['living', 'shadowed', 'redirected', 'gone', 'lost', 'none', 'accepted'];

/** The new findings, each with its first rows, then the counts. */
export function checkText(result: CheckResult): string {
  const { check, body, lost, lostBefore, answeredByFile, shadowed, dangling, brokenLinks, missingAnchors } = result;
  const unread = (body?.ignored ?? 0) + (body?.invalid ?? 0);
  const count = (name: string): string => (check[name] ?? 0).toLocaleString('en');
  return [
    ...(lost.length === 0 ? ['this build loses no URL'] : section(lost, 'newly lost URL', lostText)),
    ...section(shadowed, 'page', (row) => `${row.url}: ${row.kind} ${row.redirect_id}`, 'newly hidden by a redirect'),
    ...section(dangling, 'redirect', (row) => `${row.old_path} -> ${row.new_path}`, 'newly without a page'),
    ...section(brokenLinks, 'link', linkText, 'without a page'),
    ...section(missingAnchors, 'link', linkText, 'without an anchor'),
    ...line(answeredByFile, 'lost URL is', 'lost URLs are', 'redirected by --redirects'),
    ...line(unread, 'row of the list is', 'rows of the list are', 'invalid or of other hosts'),
    ...line(lostBefore, 'URL was', 'URLs were', 'lost before this build'),
    `${counted(check['urls'] ?? 0, 'URL', 'URLs')}: ${COUNTS.map((name) => `${count(name)} ${name}`).join(', ')}; ${count('dangling')} dangling`,
  ].join('\n');
}

function section<T>(rows: T[], what: string, toLine: (row: T) => string, how = ''): string[] {
  if (rows.length === 0) return [];
  const title = `${counted(rows.length, what, `${what}s`)} ${how}`.trim();
  return [`${title}:`, ...firstLines(rows, rows.length, toLine)];
}

const line = (count: number, one: string, more: string, how: string): string[] =>
  count === 0 ? [] : [`${counted(count, one, more)} ${how}`];

const MOVED: Record<string, string> = { sure: 'moved to', likely: 'likely moved to' };

/** `/old (weight 12; likely moved to /new)` */
function lostText({ url, weight, reason, suggested, confidence, suggestions = [] }: LostUrl): string {
  const target = suggested === 'redirect' ? suggestions[0]?.target : undefined;
  const details = [
    ...(weight ? [`weight ${weight.toLocaleString('en')}`] : []),
    ...(reason && REASONS[reason] ? [REASONS[reason]] : []),
    ...(target === undefined ? [] : [`${MOVED[confidence ?? ''] ?? 'maybe moved to'} ${target}`]),
  ];
  return details.length === 0 ? url : `${url} (${details.join('; ')})`;
}

/** `guide/index.html:14: /absent, and in 3 more places` */
function linkText({ file, line, target, count }: BrokenLink): string {
  const others = count > 1 ? `, and in ${counted(count - 1, 'more place', 'more places')}` : '';
  return `${file}:${line}: ${target}${others}`;
}

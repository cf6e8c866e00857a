import { firstLines } from '../../errors.ts';
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
    ...(lost.length === 0 ? ['this build loses no URL'] : section(lost, 'newly lost URLs', lostText)),
    ...section(shadowed, 'pages newly hidden by a redirect', (row) => `${row.url}: ${row.kind} ${row.redirect_id}`),
    ...section(dangling, 'redirects newly without a page', (row) => `${row.old_path} -> ${row.new_path}`),
    ...section(brokenLinks, 'links without a page', linkText),
    ...section(missingAnchors, 'links without an anchor', linkText),
    ...(answeredByFile > 0 ? [`${answeredByFile.toLocaleString('en')} lost URLs are redirected by --redirects`] : []),
    ...(unread > 0 ? [`${unread.toLocaleString('en')} rows of the list are invalid or of other hosts`] : []),
    ...(lostBefore > 0 ? [`${lostBefore.toLocaleString('en')} URLs were lost before this build`] : []),
    `${count('urls')} URLs: ${COUNTS.map((name) => `${count(name)} ${name}`).join(', ')}; ${count('dangling')} dangling`,
  ].join('\n');
}

function section<T>(rows: T[], title: string, toLine: (row: T) => string): string[] {
  if (rows.length === 0) return [];
  return [`${rows.length.toLocaleString('en')} ${title}:`, ...firstLines(rows, rows.length, toLine)];
}

/** `/old (weight 12; try /new)` */
function lostText({ url, weight, reason, loses_at: at, suggestions = [] }: LostUrl): string {
  const target = suggestions[0]?.target ?? suggestions[0]?.new_path;
  const details = [
    ...(weight ? [`weight ${weight.toLocaleString('en')}`] : []),
    ...(reason && REASONS[reason] ? [REASONS[reason]] : []),
    ...(at ? [`from ${at}`] : []),
    ...(target === undefined ? [] : [`try ${target}`]),
  ];
  return details.length === 0 ? url : `${url} (${details.join('; ')})`;
}

/** `guide/index.html:14: /absent, and in 3 more places` */
function linkText({ file, line, target, count }: BrokenLink): string {
  const others = count > 1 ? `, and in ${(count - 1).toLocaleString('en')} more places` : '';
  return `${file}:${line}: ${target}${others}`;
}

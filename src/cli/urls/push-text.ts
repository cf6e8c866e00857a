/** The result of a push in words. */
import { counted, firstLines } from '../errors.ts';
import type { Counts, Pushed } from './push-list.ts';

const OTHER_HOSTS = 'of other hosts; --from-hosts names those that belong to the website';
const NOT_LIVING = 'not living: noindex, a redirect page, another canonical or status';

/** The counts, and examples of rows that were not stored as they are. */
export function pushText({ urls, ...examples }: Pushed, isDryRun: boolean): string {
  const { merged_examples: merged, merged_parameters: parameters, ignored_hosts: hosts } = examples;
  const cut = parameters.length > 0 ? `; parameters that do not identify a page: ${parameters.join(', ')}` : '';
  const base = urls.total === 0 ? '. If the canonicals are right, --base must name the URL of the folder' : '';
  return [
    countsText(urls, isDryRun),
    ...section(urls.merged, `the same URL as an earlier row${cut}`, merged, (url) => url),
    ...section(urls.ignored, OTHER_HOSTS, hosts, ({ host, rows, reason }) => `${host} (${rows}, ${reason})`),
    ...section(
      urls.invalid,
      'invalid',
      examples.invalid_examples,
      ({ line, value, code }) => `line ${line}: ${code} ${value}`,
    ),
    ...section(urls.not_living, NOT_LIVING + base, [], String),
  ].join('\n');
}

function countsText({ total, added, revived, removed, unchanged }: Counts, isDryRun: boolean): string {
  const [a, v, r, u] = [added, revived, removed, unchanged].map((count) => count.toLocaleString('en'));
  const counts = `${counted(total, 'living page', 'living pages')}: ${a} added, ${v} revived, ${r} removed, ${u} unchanged`;
  return isDryRun ? `would be ${counts}` : counts;
}

function section<T>(count: number, what: string, examples: T[], toLine: (example: T) => string): string[] {
  if (count === 0) return [];
  return [`${counted(count, 'row is', 'rows are')} ${what}`, ...firstLines(examples, examples.length, toLine)];
}

/** The result of a push in words. */
import { firstLines } from '../errors.ts';
import type { Counts, Pushed } from './push-list.ts';

/** The counts, and examples of rows that were not stored as they are. */
export function pushText(pushed: Pushed, isDryRun: boolean): string {
  const { urls } = pushed;
  const { merged_examples: merged = [], ignored_hosts: hosts = [], invalid_examples: invalid = [] } = flat(pushed);
  const parameters = flat(pushed).merged_parameters ?? [];
  const cut = parameters.length > 0 ? `; parameters that do not identify a page: ${parameters.join(', ')}` : '';
  return [
    countsText(urls, isDryRun),
    ...section(urls.merged, `rows are the same URL as an earlier row${cut}`, merged, shown),
    ...section(
      urls.ignored,
      'rows are of other hosts; --from-hosts names those that belong to the website',
      hosts,
      shown,
    ),
    ...section(urls.invalid, 'rows are invalid', invalid, ({ line, value, code }) => `line ${line}: ${code} ${value}`),
    ...notLivingLines(urls),
  ].join('\n');
}

/** Examples are beside the counts or among them. */
const flat = (pushed: Pushed): Omit<Pushed, 'urls'> => ({ ...pushed.urls, ...pushed });

function countsText({ total, added, revived, removed, unchanged }: Counts, isDryRun: boolean): string {
  const [all, a, v, r, u] = [total, added, revived, removed, unchanged].map((count) => count.toLocaleString('en'));
  const counts = `${all} living pages: ${a} added, ${v} revived, ${r} removed, ${u} unchanged`;
  return isDryRun ? `would be ${counts}` : counts;
}

function section<T>(count: number, what: string, examples: T[], toLine: (example: T) => string): string[] {
  if (count === 0) return [];
  return [`${count.toLocaleString('en')} ${what}`, ...firstLines(examples, examples.length, toLine)];
}

function notLivingLines({ not_living: count = 0, total }: Counts): string[] {
  if (count === 0) return [];
  const line = `${count.toLocaleString('en')} rows are not living: noindex, a redirect page, another canonical or status`;
  return [total === 0 ? `${line}. If the canonicals are right, --base must name the URL of the folder` : line];
}

/** An example is a text, or an object whose values say it. */
function shown(example: unknown): string {
  if (typeof example !== 'object' || example === null) return String(example);
  return Object.values(example)
    .map((value) => (Array.isArray(value) ? value.join(', ') : String(value)))
    .join('  ');
}

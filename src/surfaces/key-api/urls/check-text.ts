/** The response of a check of URLs as text. It runs in the bulk thread. */
import { z } from 'zod';
import type { Queryable } from '../../../db/connection/client.ts';
import type { CheckSection, DanglingRule, LostUrl } from '../../../deployments/gate/urls/check-urls.ts';
import type { Rank } from '../../../deployments/gate/urls/first-urls.ts';
import { readOldPaths } from '../../../deployments/publish/loops.ts';
import { csvRow } from '../../../formats/write/csv.ts';
import type { UrlCheckInput } from '../../../http/jobs.ts';
import { listOf, nextCursor, part, Timestamp } from '../../../http/wire/fields.ts';
import { type Camel, wireWriter } from '../../../http/wire/wire-names.ts';
import { stopwatch } from '../../../platform/clock.ts';
import { decodeCursor, encodeCursor } from '../../../platform/cursor.ts';
import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { Suggested } from '../../../suggestions/suggest.ts';
import type { WebsiteCheck } from '../../../urls/check-website.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { LossReasonName, ShadowKindName } from '../../resources/expectation-wire.ts';
import { suggestedFields, suggestionFields } from '../../resources/suggestion-wire.ts';
import { unusedExamples, unusedRows } from './url-wire.ts';

export const SECTIONS = ['lost', 'shadowed', 'dangling'] as const satisfies CheckSection[];

/** Rows per pass over the URLs when all are streamed: each pass sorts them. */
const PASS_ROWS = 20_000;
/** Rows per chunk of text. */
const CHUNK_ROWS = 1_000;

const count = (text: string) => z.int().describe(text);
const url = z.string().describe('The URL.');
const weight = z.number().describe('10 for each link, and its clicks and hits.');
const redirectId = keyDialect.id.describe('The id of the rule.');

const ROWS = {
  lost: listOf('Lost URLs, worst first.', {
    url,
    weight,
    reason: LossReasonName,
    suggestions: listOf('With `suggest`: up to ten living pages that it may have become.', suggestionFields),
    ...z.object(suggestedFields).partial().shape,
  }).optional(),
  shadowed: listOf('Hidden living pages, worst first.', {
    url,
    weight,
    redirect_id: redirectId,
    kind: ShadowKindName,
  }).optional(),
  dangling: listOf('Rules without a target, by path.', {
    redirect_id: redirectId,
    old_path: z.string().describe('Its path.'),
    new_path: z.string().describe('Its target.'),
  }).optional(),
};

export const CheckBody = z.object({
  check: part('The counts. All but `dangling` are a partition of `urls`.', {
    urls: count('All URLs.'),
    living: count('Living pages that no rule hides.'),
    shadowed: count('Living pages that a rule hides.'),
    redirected: count('URLs whose redirects end elsewhere.'),
    gone: count('URLs that end at a 410 or 451.'),
    lost: count('Removed URLs that nothing answers, and URLs whose redirects end at one or in a loop.'),
    none: count('URLs that were never living and that nothing answers.'),
    dangling: count('Rules whose target on a host of the website is neither living nor answered. 0 without a list.'),
    accepted: count('Lost URLs that match an accepted loss.'),
    loses_at: Timestamp.nullable().describe('When the next answered URL is lost because a window begins or ends.'),
    duration_ms: count('The duration in milliseconds.'),
  }),
  body: part('Present if the body is a list.', {
    rows: count('All rows.'),
    ...unusedRows,
    ...unusedExamples,
  }).optional(),
  ...ROWS,
  next_cursor: nextCursor.optional().describe('With `section`: the cursor of the next page; null on the last page.'),
});

const bodyToWire = wireWriter(CheckBody);
const RowsBody = z.object(ROWS);
const rowsToWire = wireWriter(RowsBody);
type Rows = Camel<z.output<typeof RowsBody>>;

type Found = WebsiteCheck & { db: Queryable; suggest: (urls: string[]) => Promise<Suggested[]> };

/** Yields the response body of a check. */
export async function* urlCheckText(found: Found, input: UrlCheckInput, startedAt: number): AsyncGenerator<string> {
  const { format, section } = input;
  const after = afterOf(input);
  if (format !== 'json') return yield* allRows(found, input);
  const { counts, losesAt } = found.check;
  const durationMs = Math.round(stopwatch() - startedAt);
  const check = { ...counts, ...counts.answers, losesAt, durationMs };
  const rows: Rows = {};
  let cursor: string | null | undefined;
  for (const each of section === undefined ? SECTIONS : [section]) {
    const page = await pageOf(found, each, { ...input, after });
    Object.assign(rows, page.rows);
    if (section) cursor = page.next ? encodeCursor(listName(section, input), [page.next.weight, page.next.url]) : null;
  }
  yield JSON.stringify(bodyToWire({ check, body: found.body, ...rows, nextCursor: cursor }));
}

const listName = (section: CheckSection, { websiteId, environment, against, host, at }: UrlCheckInput): string =>
  `url-check ${section} ${JSON.stringify([websiteId, environment, against, host, at])}`;

function afterOf(input: UrlCheckInput): Rank | undefined {
  const { section, cursor } = input;
  if (section === undefined || cursor === undefined) return undefined;
  return decodeCursor(cursor, listName(section, input), ([weight, url]) =>
    typeof weight === 'number' && typeof url === 'string' ? { weight, url } : undefined,
  );
}

const CSV_COLUMNS = ['url', 'weight', 'reason', 'kind', 'redirect_id', 'old_path', 'new_path', 'suggestions'] as const;

async function* allRows(found: Found, input: UrlCheckInput): AsyncGenerator<string> {
  const isCsv = input.format === 'csv';
  const slice = createTimeSlice();
  const lines = isCsv ? [csvRow(['section', ...CSV_COLUMNS])] : [];
  for (const section of input.section === undefined ? SECTIONS : [input.section]) {
    let suggest = input.suggest;
    let after: Rank | undefined;
    do {
      const page = await pageOf(found, section, { limit: PASS_ROWS, after, suggest });
      for (const row of page.rows[section] ?? []) {
        if (slice.isOver()) await slice.yield();
        const [wire = {}] = rowsToWire({ [section]: [row] })[section] ?? [];
        lines.push(isCsv ? csvLine(section, wire) : `${JSON.stringify({ section, ...wire })}\n`);
        if (lines.length >= CHUNK_ROWS) yield lines.splice(0).join('');
      }
      after = page.next;
      suggest = 0;
    } while (after);
  }
  yield lines.join('');
}

function csvLine(section: CheckSection, row: Partial<Record<(typeof CSV_COLUMNS)[number], unknown>>): string {
  const { suggestions } = row;
  const targets = Array.isArray(suggestions) ? suggestions.map(({ target }) => target).join(' ') : '';
  const cells = { ...row, suggestions: targets };
  return csvRow([section, ...CSV_COLUMNS.map((name) => String(cells[name] ?? ''))]);
}

type Page = { limit: number; after?: Rank | undefined; suggest: number };

/** Returns the rows of a page. `next` is its last place if there are more. */
async function pageOf(found: Found, section: CheckSection, { limit, after, suggest }: Page) {
  const { check } = found;
  const page = { limit: limit + 1, after };
  const cut = async <R extends Rank>(ranks: R[], toRows: (shown: R[]) => Rows | Promise<Rows>) => {
    const shown = ranks.slice(0, limit);
    return { rows: await toRows(shown), next: ranks.length > limit ? shown.at(-1) : undefined };
  };
  if (section === 'lost') return cut(await check.rows(section, page), (lost) => withSuggestions(found, lost, suggest));
  if (section === 'dangling') return cut(await check.rows(section, page), (rules) => withPaths(found, rules));
  return cut(await check.rows(section, page), (shadowed) => ({ shadowed }));
}

async function withSuggestions({ suggest }: Found, lost: LostUrl[], count: number): Promise<Rows> {
  const found = count > 0 ? await suggest(lost.slice(0, count).map(({ url }) => url)) : [];
  return {
    lost: lost.map((row, index) => {
      const { suggestions = [], suggested, confidence } = found[index] ?? {};
      return { ...row, suggestions, suggested, confidence };
    }),
  };
}

/** A rule of an earlier version whose redirect is deleted has its key as path. */
async function withPaths({ db, tested }: Found, rules: DanglingRule[]): Promise<Rows> {
  const ids = rules.map(({ redirectId }) => redirectId);
  const paths = ids.length === 0 ? new Map<number, string>() : await readOldPaths(db, tested.site.id, ids);
  return { dangling: rules.map(({ url, ...rule }) => ({ ...rule, oldPath: paths.get(rule.redirectId) ?? url })) };
}

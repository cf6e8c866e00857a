/** The response of a check of URLs as text. It runs in the bulk thread. */
import { suggestTargets } from '../../../analytics/suggest-targets.ts';
import type { Db } from '../../../db/connection/client.ts';
import type { CheckSection, DanglingRule, LostUrl } from '../../../deployments/gate/urls/check-urls.ts';
import type { Rank } from '../../../deployments/gate/urls/first-urls.ts';
import { readOldPaths } from '../../../deployments/publish/loops.ts';
import { csvRow } from '../../../formats/write/csv.ts';
import type { UrlCheckInput } from '../../../http/jobs.ts';
import { isoSeconds, stopwatch } from '../../../platform/clock.ts';
import { decodeCursor, encodeCursor } from '../../../platform/cursor.ts';
import type { WebsiteCheck } from '../../../urls/check-website.ts';

export const SECTIONS = ['lost', 'shadowed', 'dangling'] as const satisfies CheckSection[];

/** Rows per pass over the URLs when all are streamed: each pass sorts them. */
const PASS_ROWS = 20_000;
/** Rows per chunk of text. */
const CHUNK_ROWS = 1_000;

type Found = WebsiteCheck & { db: Db };

/** Yields the response body of a check. */
export async function* urlCheckText(
  db: Db,
  website: WebsiteCheck,
  input: UrlCheckInput,
  startedAt: number,
): AsyncGenerator<string> {
  const found = { ...website, db };
  const { format, section } = input;
  const after = afterOf(input);
  if (format !== 'json') return yield* allRows(found, input);
  const { urls, answers, dangling } = website.check.counts;
  const { living, shadowed, redirected, gone, lost, none, accepted } = answers;
  const losesAt = website.check.losesAt && isoSeconds(website.check.losesAt);
  const duration = Math.round(stopwatch() - startedAt);
  const answered = { urls, living, shadowed, redirected, gone, lost, none, dangling, accepted };
  const check = { ...answered, loses_at: losesAt, duration_ms: duration };
  yield `{"check":${JSON.stringify(check)}`;
  if (website.body) yield `,"body":${JSON.stringify(bodyJson(website.body))}`;
  let last: Rank | undefined;
  for (const each of section === undefined ? SECTIONS : [section]) {
    const page = await pageOf(found, each, { ...input, after });
    yield* jsonRows(each, page.rows);
    last = page.next;
  }
  if (section !== undefined) {
    const cursor = last ? encodeCursor(listOf(section, input), [last.weight, last.url]) : null;
    yield `,"next_cursor":${JSON.stringify(cursor)}`;
  }
  yield '}';
}

const bodyJson = ({ rows, ignored, invalid, ignoredHosts, invalidExamples }: NonNullable<WebsiteCheck['body']>) => ({
  rows,
  ignored,
  invalid,
  ignored_hosts: ignoredHosts,
  invalid_examples: invalidExamples,
});

function* jsonRows(section: CheckSection, rows: Row[]): Generator<string> {
  yield `,"${section}":[`;
  for (let at = 0; at < rows.length; at += CHUNK_ROWS) {
    const chunk = rows.slice(at, at + CHUNK_ROWS).map((row) => JSON.stringify(row));
    yield (at > 0 ? ',' : '') + chunk.join(',');
  }
  yield ']';
}

const listOf = (section: CheckSection, { environment }: UrlCheckInput): string => `url-check ${section} ${environment}`;

function afterOf(input: UrlCheckInput): Rank | undefined {
  const { section, cursor } = input;
  if (section === undefined || cursor === undefined) return undefined;
  return decodeCursor(cursor, listOf(section, input), ([weight, url]) =>
    typeof weight === 'number' && typeof url === 'string' ? { weight, url } : undefined,
  );
}

const CSV_COLUMNS = ['url', 'weight', 'reason', 'kind', 'redirect_id', 'old_path', 'new_path', 'suggestions'] as const;

async function* allRows(found: Found, input: UrlCheckInput): AsyncGenerator<string> {
  const isCsv = input.format === 'csv';
  const toLine = (section: CheckSection, row: Row): string => {
    if (!isCsv) return `${JSON.stringify({ section, ...row })}\n`;
    const targets = row.suggestions?.map(({ new_path: path }) => path).join(' ');
    const cells = { ...row, suggestions: targets };
    return csvRow([section, ...CSV_COLUMNS.map((name) => (cells[name] === undefined ? '' : String(cells[name])))]);
  };
  yield isCsv ? csvRow(['section', ...CSV_COLUMNS]) : '';
  for (const section of input.section === undefined ? SECTIONS : [input.section]) {
    let suggest = input.suggest;
    let after: Rank | undefined;
    do {
      const page = await pageOf(found, section, { limit: PASS_ROWS, after, suggest });
      for (let at = 0; at < page.rows.length; at += CHUNK_ROWS)
        yield page.rows
          .slice(at, at + CHUNK_ROWS)
          .map((row) => toLine(section, row))
          .join('');
      after = page.next;
      suggest = 0;
    } while (after);
  }
}

interface Row {
  url?: string;
  weight?: number;
  reason?: string;
  suggestions?: { new_path: string; similarity: number }[];
  redirect_id?: string;
  kind?: string;
  old_path?: string;
  new_path?: string;
}

type Page = { limit: number; after?: Rank | undefined; suggest: number };

/** A page of rows as the API writes them. `next` is its last place if there are more. */
interface RowPage {
  rows: Row[];
  next: Rank | undefined;
}

async function pageOf(found: Found, section: CheckSection, { limit, after, suggest }: Page): Promise<RowPage> {
  const { check } = found;
  const wanted = { limit: limit + 1, after };
  const cut = async <R extends Rank>(ranks: R[], toRows: (shown: R[]) => Promise<Row[]>): Promise<RowPage> => {
    const shown = ranks.slice(0, limit);
    return { rows: await toRows(shown), next: ranks.length > limit ? shown.at(-1) : undefined };
  };
  if (section === 'lost') return cut(await check.rows(section, wanted), (shown) => lostRows(found, shown, suggest));
  if (section === 'dangling') return cut(await check.rows(section, wanted), (shown) => danglingRows(found, shown));
  return cut(await check.rows(section, wanted), async (shown) =>
    shown.map(({ url, weight, redirectId, kind }) => ({ url, weight, redirect_id: String(redirectId), kind })),
  );
}

async function lostRows({ tested }: Found, lost: LostUrl[], suggest: number): Promise<Row[]> {
  const paths = lost.slice(0, suggest).map(({ url }) => url);
  const suggested = await suggestTargets(tested.rules.ruleset, paths);
  return lost.map(({ url, weight, reason }, index) => {
    const suggestions = (suggested[index] ?? []).map(({ newPath, similarity }) => ({
      new_path: newPath,
      similarity: Math.round(similarity * 100) / 100,
    }));
    return { url, weight, reason, suggestions };
  });
}

/** A rule of an earlier version whose redirect is deleted has its key as path. */
async function danglingRows({ db, tested }: Found, rules: DanglingRule[]): Promise<Row[]> {
  const ids = rules.map(({ redirectId }) => redirectId);
  const paths = ids.length === 0 ? new Map<number, string>() : await readOldPaths(db, tested.site.id, ids);
  return rules.map(({ url: key, redirectId, newPath }) => ({
    redirect_id: String(redirectId),
    old_path: paths.get(redirectId) ?? key,
    new_path: newPath,
  }));
}

/** Reads a body of URLs into a stage, and counts every row of it. */
import { readUrlList } from '../formats/read/urls/read-url-list.ts';
import type { UrlBatch, UrlRow } from '../formats/read/urls/url-row.ts';
import { readUrl, type UrlRules } from '../rules/url-key.ts';
import { createTimeSlice } from '../platform/scheduling/time-slice.ts';
import { DomainError, invalid } from '../vocabulary/error.ts';
import { MAX_WEBSITE_URLS } from '../vocabulary/urls.ts';
import { FLAGS, type Stage, type StagedUrl } from './stage.ts';

/** Rows of a body that are in no list: why, with examples. */
export interface BodyCounts {
  /** all rows */
  rows: number;
  ignored: number;
  /** hosts of ignored rows, the first ten */
  ignoredHosts: { host: string; rows: number; reason: 'other_host' | 'domain_redirect' }[];
  invalid: number;
  /** the first ten */
  invalidExamples: { line: number; value: string; code: string }[];
}

const MAX_EXAMPLES = 10;
const MAX_SHOWN = 200;
/** Rows of one body or upload: repeated rows and those of other hosts included. */
const MAX_ROWS = 5 * MAX_WEBSITE_URLS;

export const emptyCounts = (): BodyCounts => ({
  rows: 0,
  ignored: 0,
  ignoredHosts: [],
  invalid: 0,
  invalidExamples: [],
});

/** Adds the counts of a part to those of the parts before it. */
export function addCounts(total: BodyCounts, part: BodyCounts): void {
  total.rows += part.rows;
  total.ignored += part.ignored;
  total.invalid += part.invalid;
  for (const { host, reason, rows } of part.ignoredHosts) addHost(total.ignoredHosts, host, reason, rows);
  total.invalidExamples.push(...part.invalidExamples.slice(0, MAX_EXAMPLES - total.invalidExamples.length));
}

/**
 * Stages the rows of the file at `path` whose addresses are on a host of the website. Throws as `readUrlList`, and
 * NO_OWN_URL if every row is on another host.
 */
export function stageBody(
  path: string,
  rules: UrlRules,
  stage: Pick<Stage, 'write' | 'count'>,
  maxBytes: number,
): Promise<BodyCounts> {
  return stageBatches(readUrlList(path, { maxBytes }), rules, stage);
}

/** The same of batches; `field` is their name in errors. */
export async function stageBatches(
  batches: AsyncIterable<UrlBatch> | Iterable<UrlBatch>,
  rules: UrlRules,
  stage: Pick<Stage, 'write' | 'count'>,
  field = 'body',
): Promise<BodyCounts> {
  const counts = emptyCounts();
  const slice = createTimeSlice();
  for await (const batch of batches) {
    for (const { line, value, code } of batch.invalid) addInvalid(counts, line, value, code);
    const own: StagedUrl[] = [];
    for (const row of batch.rows) {
      if (slice.isOver()) await slice.yield();
      const staged = stagedRow(row, rules, counts);
      if (staged) own.push(staged);
    }
    assertRows(counts.rows, field);
    await stage.write(own);
  }
  if (stage.count === 0 && counts.ignored > 0) throw noOwnUrl(counts, field);
  return counts;
}

function stagedRow(row: UrlRow, rules: UrlRules, counts: BodyCounts): StagedUrl | undefined {
  const read = readUrl(row.url, rules);
  if ('code' in read) {
    addInvalid(counts, row.line, row.url, read.code);
    return undefined;
  }
  counts.rows++;
  if ('host' in read) {
    counts.ignored++;
    addHost(counts.ignoredHosts, read.host, read.reason, 1);
    return undefined;
  }
  return {
    url: read.url,
    rawUrl: row.url === read.url ? null : row.url,
    title: row.title ?? null,
    description: row.description ?? null,
    headline: row.headline ?? null,
    clicks: row.clicks ?? null,
    links: row.isBacklink ? 1 : (row.links ?? null),
    flags: (row.living ? FLAGS.living : 0) | (row.isBacklink ? FLAGS.backlink : 0),
    weight: row.weight ?? null,
    cut: read.cut.length === 0 ? null : read.cut.join('&'),
  };
}

function addInvalid(counts: BodyCounts, line: number, value: string, code: string): void {
  counts.rows++;
  counts.invalid++;
  if (counts.invalidExamples.length < MAX_EXAMPLES)
    counts.invalidExamples.push({ line, value: value.slice(0, MAX_SHOWN), code });
}

function addHost(
  hosts: BodyCounts['ignoredHosts'],
  host: string,
  reason: 'other_host' | 'domain_redirect',
  rows: number,
): void {
  const known = hosts.find((each) => each.host === host);
  if (known) known.rows += rows;
  else if (hosts.length < MAX_EXAMPLES) hosts.push({ host, rows, reason });
}

/** Throws TOO_MANY_ITEMS if a body, or all parts of an upload, have too many rows. */
export function assertRows(rows: number, field: string): void {
  if (rows <= MAX_ROWS) return;
  throw invalid(field, 'has more than 5,000,000 rows; nothing was applied, split the list', 'TOO_MANY_ITEMS');
}

function noOwnUrl({ ignored, ignoredHosts }: BodyCounts, field: string): DomainError {
  const hosts = ignoredHosts.map(({ host }) => host).join(', ');
  return new DomainError('NO_OWN_URL', 'No URL is on a host of the website', {
    details: `${field}: all ${ignored.toLocaleString('en')} URLs are on other hosts (${hosts}), so nothing was applied; add the host to the website, or name it in from_hosts`,
    extra: { ignored_hosts: ignoredHosts },
  });
}

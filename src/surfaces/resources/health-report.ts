/** The health report of a website: its schema and the streamed JSON. */
import { z } from 'zod';
import type { ReadRuleTexts, RuleText } from '../../health/current-rules.ts';
import type { HealthReport } from '../../health/report.ts';
import { nextCursor, component, part, listOf } from '../../http/wire/fields.ts';
import type { Dialect, Wire } from './dialect.ts';

/** Redirects written to JSON between two yields: each may have two texts of 2 KB. */
const BATCH_SIZE = 400;
/** The most redirects that a loop or a set of duplicates names. */
const MAX_NAMED = 20;

const scheduled = z
  .boolean()
  .optional()
  .describe('Present and true if a redirect of the finding has a window. The report takes each as active.');

export function healthSchema<W extends Wire>({ id, named }: Dialect<W>) {
  return component(named('WebsiteHealth'), {
    counts: part('Exact totals of all findings.', {
      loops: z.int().describe('The number of loops.'),
      chains: z.int().describe('The number of chains.'),
      shadowed: z.int().describe('The number of shadowed patterns.'),
      duplicates: z.int().describe('The number of duplicates.'),
    }),
    loops: listOf('Redirects that form a loop.', {
      redirect_ids: z.array(id).describe('The ids of the first 20 redirects.'),
      old_paths: z.array(z.string()).describe('Their paths, in the same order.'),
      hops: z.int().describe('The number of redirects in the loop. The lists name the first 20.'),
      growing: z
        .boolean()
        .optional()
        .describe('Present and true for a loop in which each address is longer than the previous one.'),
      scheduled,
    }),
    chains: listOf('Redirects whose target is redirected again.', {
      redirect_id: id.describe('The id of the redirect.'),
      old_path: z.string().describe('Its path or pattern.'),
      hops: z.int().describe('The number of redirects to the end; 100 if there are more.'),
      final_path: z.string().nullable().describe('The target of the last redirect; null for a loop or over 100 hops.'),
      final_status: z.int().nullable().describe('The status of the last redirect; null for a loop or over 100 hops.'),
      scheduled,
    }),
    shadowed: listOf('Patterns that never match, because another redirect always has precedence.', {
      redirect_id: id.describe('The id of the redirect.'),
      old_path: z.string().describe('The pattern.'),
      new_path: z.string().nullable().describe('Its target; null for 410 and 451.'),
      by_redirect_id: id.describe('The id of the redirect that matches instead.'),
      by_old_path: z.string().describe('Its path or pattern.'),
      by_new_path: z.string().nullable().describe('Its target; null for 410 and 451.'),
      scheduled,
    }),
    duplicates: listOf('Paths that are the same under the options of the website.', {
      redirect_ids: z.array(id).describe('The ids of the first 20 redirects.'),
      old_paths: z.array(z.string()).describe('Their paths, in the same order.'),
      new_paths: z.array(z.string().nullable()).describe('Their targets, in the same order; null for 410 and 451.'),
      count: z.int().describe('The number of redirects.'),
      scheduled,
    }),
    next_cursor: nextCursor,
  });
}

/**
 * Writes a page of the report as JSON text of `healthSchema`, in chunks. Reads the texts of the redirects chunk by chunk.
 */
export async function* healthJson(report: HealthReport, { writeId }: Dialect): AsyncGenerator<string> {
  const { readTexts } = report;
  yield `{"counts":${JSON.stringify(report.counts)}`;
  yield* listJson(readTexts, 'loops', report.loops, ({ redirectIds, hops, isGrowing }, text) => ({
    redirect_ids: redirectIds.map(writeId),
    old_paths: redirectIds.map((id) => text(id).oldPath),
    hops,
    ...(isGrowing && { growing: true }),
    ...scheduledIf(redirectIds.some((id) => text(id).isScheduled)),
  }));
  yield* listJson(readTexts, 'chains', report.chains, ({ redirectId: id, ...chain }, text) => ({
    redirect_id: writeId(id),
    old_path: text(id).oldPath,
    hops: chain.hops,
    final_path: chain.finalPath,
    final_status: chain.finalStatus,
    ...scheduledIf(chain.isScheduled),
  }));
  yield* listJson(readTexts, 'shadowed', report.shadowed, ({ redirectId: id, byRedirectId: by }, text) => ({
    redirect_id: writeId(id),
    old_path: text(id).oldPath,
    new_path: text(id).newPath,
    by_redirect_id: writeId(by),
    by_old_path: text(by).oldPath,
    by_new_path: text(by).newPath,
    ...scheduledIf(text(id).isScheduled || text(by).isScheduled),
  }));
  yield* listJson(readTexts, 'duplicates', report.duplicates, ({ redirectIds, count }, text) => ({
    redirect_ids: redirectIds.map(writeId),
    old_paths: redirectIds.map((id) => text(id).oldPath),
    new_paths: redirectIds.map((id) => text(id).newPath),
    count,
    ...scheduledIf(redirectIds.some((id) => text(id).isScheduled)),
  }));
  yield `,"next_cursor":${JSON.stringify(report.nextCursor)}}`;
}

const scheduledIf = (isScheduled: boolean): { scheduled?: true } => (isScheduled ? { scheduled: true } : {});

type Named = { redirectIds: number[] } | { redirectId: number; byRedirectId?: number };

async function* listJson<T extends Named>(
  readTexts: ReadRuleTexts,
  name: string,
  entries: T[],
  toBody: (entry: T, text: (id: number) => RuleText) => object,
): AsyncGenerator<string> {
  yield `,"${name}":[`;
  const length = entries.some((entry) => 'redirectIds' in entry) ? BATCH_SIZE / MAX_NAMED : BATCH_SIZE / 2;
  for (let start = 0; start < entries.length; start += length) {
    const batch = entries.slice(start, start + length);
    const texts = await readTexts(batch.flatMap(idsOf));
    const textOf = (id: number): RuleText => texts.get(id) ?? GONE;
    yield (start > 0 ? ',' : '') + batch.map((entry) => JSON.stringify(toBody(entry, textOf))).join(',');
  }
  yield ']';
}

/** For a redirect that was deleted after the report was made. */
const GONE: RuleText = { oldPath: '', newPath: null, isScheduled: false };

const idsOf = (entry: Named): number[] =>
  'redirectIds' in entry ? entry.redirectIds : [entry.redirectId, entry.byRedirectId ?? entry.redirectId];

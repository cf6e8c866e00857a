/** The health report of a website: its schema and the streamed JSON. */
import { z } from 'zod';
import type { ReadRuleTexts, RuleText } from '../../health/current-rules.ts';
import type { HealthReport } from '../../health/report.ts';
import { nextCursor, component, part, listOf } from '../../http/wire/fields.ts';
import { wireWriter } from '../../http/wire/wire-names.ts';
import { warningFields } from './deployments/deployment-wire.ts';
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
      broken_targets: z.int().describe('Redirects with a broken target; `.../health/targets` lists them.'),
    }),
    loops: listOf('Redirects that form a loop.', {
      redirect_ids: z.array(id).describe('The ids of the first 20 redirects.'),
      old_paths: z.array(z.string()).describe('Their paths, in the same order.'),
      hops: z.int().describe('The number of redirects in the loop. The lists name the first 20.'),
      growing: warningFields.growing,
      scheduled,
    }),
    chains: listOf('Redirects whose target is redirected again.', {
      redirect_id: id.describe('The id of the redirect.'),
      old_path: z.string().describe('Its path or pattern.'),
      hops: z.int().describe('The number of redirects to the end; 100 if there are more.'),
      via: z
        .array(z.string())
        .describe('The addresses between the path and the end: at most 10, and 2,000 characters.'),
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

const LISTS = ['loops', 'chains', 'shadowed', 'duplicates'] as const;

/**
 * Writes a page of the report as JSON text of `healthSchema`, in chunks. Reads the texts of the redirects chunk by chunk.
 */
export async function* healthJson(report: HealthReport, dialect: Dialect): AsyncGenerator<string> {
  const { shape } = healthSchema(dialect);
  yield `{"counts":${JSON.stringify(wireWriter(shape.counts)(report.counts))}`;
  for (const name of LISTS) {
    const write = wireWriter<z.ZodType<object>>(shape[name].element);
    yield `,"${name}":[`;
    yield* entriesJson(report.readTexts, report[name], write);
    yield ']';
  }
  yield `,"next_cursor":${JSON.stringify(report.nextCursor)}}`;
}

type Finding = ({ redirectIds: number[] } | { redirectId: number; byRedirectId?: number }) & {
  isGrowing?: boolean;
  isScheduled?: boolean;
};

async function* entriesJson(
  readTexts: ReadRuleTexts,
  entries: Finding[],
  write: (body: object) => unknown,
): AsyncGenerator<string> {
  const length = entries.some((entry) => 'redirectIds' in entry) ? BATCH_SIZE / MAX_NAMED : BATCH_SIZE / 2;
  for (let start = 0; start < entries.length; start += length) {
    const batch = entries.slice(start, start + length);
    const texts = await readTexts(batch.flatMap(idsOf));
    const bodies = batch.map((entry) =>
      bodyOf(
        entry,
        idsOf(entry).map((id) => texts.get(id) ?? GONE),
      ),
    );
    yield (start > 0 ? ',' : '') + bodies.map((body) => JSON.stringify(write(body))).join(',');
  }
}

/** For a redirect that was deleted after the report was made. */
const GONE: RuleText = { oldPath: '', newPath: null, isScheduled: false };

/** The fields of every list, of which its schema writes its own. `texts` are those of the ids. */
function bodyOf(entry: Finding, texts: RuleText[]): object {
  const [first = GONE, by = GONE] = texts;
  return {
    ...entry,
    oldPath: first.oldPath,
    newPath: first.newPath,
    byOldPath: by.oldPath,
    byNewPath: by.newPath,
    oldPaths: texts.map(({ oldPath }) => oldPath),
    newPaths: texts.map(({ newPath }) => newPath),
    growing: entry.isGrowing || undefined,
    scheduled: (entry.isScheduled ?? texts.some(({ isScheduled }) => isScheduled)) || undefined,
  };
}

const idsOf = (entry: Finding): number[] =>
  'redirectIds' in entry ? entry.redirectIds : [entry.redirectId, entry.byRedirectId ?? entry.redirectId];

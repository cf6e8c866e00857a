import { z } from 'zod';
import { LEFT } from '../../health/flat-target.ts';
import type { Flattened } from '../../health/flatten.ts';
import type { HealthReport } from '../../health/report.ts';
import type { ReadRuleTexts, RuleText } from '../../health/current-rules.ts';

/** Redirects whose texts are read and become JSON before other work gets its turn: each may hold 2 KB twice. */
const SLICE = 400;
/** Redirects that a loop or a set of duplicates names at most. */
const NAMED = 20;

/** What healthJson writes. */
export const HealthBody = z
  .object({
    counts: z.object({ loops: z.int(), chains: z.int(), shadowed: z.int(), duplicates: z.int() }),
    loops: z.array(
      z.object({ redirect_ids: z.array(z.int()), old_paths: z.array(z.string()), hops: z.int() }),
    ),
    chains: z.array(
      z.object({
        redirect_id: z.int(),
        old_path: z.string(),
        hops: z.int(),
        final_path: z.string().nullable(),
        final_status: z.int().nullable(),
      }),
    ),
    shadowed: z.array(
      z.object({
        redirect_id: z.int(),
        old_path: z.string(),
        new_path: z.string().nullable(),
        by_redirect_id: z.int(),
        by_old_path: z.string(),
        by_new_path: z.string().nullable(),
      }),
    ),
    duplicates: z.array(
      z.object({
        redirect_ids: z.array(z.int()),
        old_paths: z.array(z.string()),
        new_paths: z.array(z.string().nullable()),
        count: z.int(),
      }),
    ),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'WebsiteHealth' });

/** A page of the report as JSON text, in pieces; the texts of its redirects are read piece by piece. */
export async function* healthJson(report: HealthReport): AsyncGenerator<string> {
  const { readTexts } = report;
  yield `{"counts":${JSON.stringify(report.counts)}`;
  yield* listJson(readTexts, 'loops', report.loops, ({ redirectIds, hops }, text) => ({
    redirect_ids: redirectIds,
    old_paths: redirectIds.map((id) => text(id).oldPath),
    hops,
  }));
  yield* listJson(readTexts, 'chains', report.chains, ({ redirectId: id, ...chain }, text) => ({
    redirect_id: id,
    old_path: text(id).oldPath,
    hops: chain.hops,
    final_path: chain.finalPath,
    final_status: chain.finalStatus,
  }));
  yield* listJson(readTexts, 'shadowed', report.shadowed, ({ redirectId: id, byRedirectId: by }, text) => ({
    redirect_id: id,
    old_path: text(id).oldPath,
    new_path: text(id).newPath,
    by_redirect_id: by,
    by_old_path: text(by).oldPath,
    by_new_path: text(by).newPath,
  }));
  yield* listJson(readTexts, 'duplicates', report.duplicates, ({ redirectIds, count }, text) => ({
    redirect_ids: redirectIds,
    old_paths: redirectIds.map((id) => text(id).oldPath),
    new_paths: redirectIds.map((id) => text(id).newPath),
    count,
  }));
  yield `,"next_cursor":${JSON.stringify(report.nextCursor)}}`;
}

type Named = { redirectIds: number[] } | { redirectId: number; byRedirectId?: number };

async function* listJson<T extends Named>(
  readTexts: ReadRuleTexts,
  name: string,
  entries: T[],
  toBody: (entry: T, text: (id: number) => RuleText) => object,
): AsyncGenerator<string> {
  yield `,"${name}":[`;
  const length = entries.some((entry) => 'redirectIds' in entry) ? SLICE / NAMED : SLICE / 2;
  for (let at = 0; at < entries.length; at += length) {
    const slice = entries.slice(at, at + length);
    const texts = await readTexts(slice.flatMap(idsOf));
    const textOf = (id: number): RuleText => texts.get(id) ?? GONE;
    yield (at > 0 ? ',' : '') + slice.map((entry) => JSON.stringify(toBody(entry, textOf))).join(',');
  }
  yield ']';
}

/** Of a website that is deleted while its report is sent. */
const GONE: RuleText = { oldPath: '', newPath: null };

const idsOf = (entry: Named): number[] =>
  'redirectIds' in entry ? entry.redirectIds : [entry.redirectId, entry.byRedirectId ?? entry.redirectId];

/** What a call to flatten chains answers: how many, and why the others were left. */
export function flattenedBody({ updated, leftCount, left }: Flattened, dryRun: boolean) {
  const redirects = updated === 1 ? '1 redirect' : `${updated} redirects`;
  const chains = leftCount === 1 ? '1 chain' : `${leftCount} chains`;
  return {
    updated,
    left_count: leftCount,
    left: left.map(({ id, value }) => ({ redirect_id: id, reason: value, message: LEFT[value] })),
    message: `${redirects} ${dryRun ? 'would be updated' : 'updated'}, ${chains} left`,
  };
}

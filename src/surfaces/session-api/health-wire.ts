import { z } from 'zod';
import { LEFT } from '../../deployments/health/flat-target.ts';
import type { Flattened } from '../../deployments/health/flatten.ts';
import type { HealthReport } from '../../deployments/health/report.ts';

/** Entries that become text before other work gets its turn: they may hold 2 KB paths, and loops twenty of them. */
const SLICE = 20;

/** What healthJson writes. */
export const HealthBody = z
  .object({
    counts: z.object({ loops: z.int(), chains: z.int(), shadowed: z.int(), duplicates: z.int() }),
    loops: z.array(z.object({ old_paths: z.array(z.string()), hops: z.int() })),
    chains: z.array(
      z.object({
        redirect_id: z.int(),
        old_path: z.string(),
        hops: z.int(),
        final_path: z.string().nullable(),
        final_status: z.int().nullable(),
      }),
    ),
    shadowed: z.array(z.object({ redirect_id: z.int(), by_redirect_id: z.int() })),
    duplicates: z.array(z.object({ redirect_ids: z.array(z.int()), count: z.int() })),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'WebsiteHealth' });

/** A page of the report as JSON text, in pieces. */
export async function* healthJson(report: HealthReport): AsyncGenerator<string> {
  yield `{"counts":${JSON.stringify(report.counts)}`;
  yield* listJson('loops', report.loops, ({ oldPaths, hops }) => ({ old_paths: oldPaths, hops }));
  yield* listJson('chains', report.chains, (chain) => ({
    redirect_id: chain.redirectId,
    old_path: chain.oldPath,
    hops: chain.hops,
    final_path: chain.finalPath,
    final_status: chain.finalStatus,
  }));
  yield* listJson('shadowed', report.shadowed, ({ redirectId, byRedirectId }) => ({
    redirect_id: redirectId,
    by_redirect_id: byRedirectId,
  }));
  yield* listJson('duplicates', report.duplicates, ({ redirectIds, count }) => ({
    redirect_ids: redirectIds,
    count,
  }));
  yield `,"next_cursor":${JSON.stringify(report.nextCursor)}}`;
}

function* listJson<T>(name: string, entries: T[], toBody: (entry: T) => object): Generator<string> {
  yield `,"${name}":[`;
  for (let at = 0; at < entries.length; at += SLICE) {
    const slice = entries.slice(at, at + SLICE).map((entry) => JSON.stringify(toBody(entry)));
    yield (at > 0 ? ',' : '') + slice.join(',');
  }
  yield ']';
}

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

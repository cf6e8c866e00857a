import { z } from 'zod';
import type { DeploymentDiff, DiffEntry, DiffRule } from '../deployments/publish/diff.ts';

const rule = {
  old_path: z.string(),
  new_path: z.string().nullable(),
  status_code: z.int(),
  is_regex: z.boolean(),
};

/** What diffJson writes; `id` is what ids are on the surface. */
export function diffSchema<Id extends z.ZodType>(id: Id) {
  const Rule = z.object(rule);
  return z.object({
    added: z.array(z.object({ id, ...rule })),
    changed: z.array(z.object({ id, before: Rule, after: Rule })),
    removed: z.array(z.object({ id, ...rule })),
    counts: z.object({ added: z.int(), changed: z.int(), removed: z.int() }),
    next_cursor: z.string().nullable(),
  });
}

/** Entries that become text before other work gets its turn. */
const SLICE = 100;

/**
 * A page of a deployment's diff as JSON text, in pieces: entries may hold 2 KB paths, so that a page made at once could hold up everybody
 * else. `idOf` writes ids as the surface does.
 */
export async function* diffJson(
  diff: DeploymentDiff,
  idOf: (id: number) => number | string,
): AsyncGenerator<string> {
  let separator = '{';
  for (const kind of ['added', 'changed', 'removed'] as const) {
    yield `${separator}"${kind}":[`;
    separator = '],';
    for (let at = 0; at < diff[kind].length; at += SLICE) {
      const slice = diff[kind].slice(at, at + SLICE);
      yield (at > 0 ? ',' : '') + slice.map((entry) => JSON.stringify(entryBody(entry, idOf))).join(',');
    }
  }
  yield `],"counts":${JSON.stringify(diff.counts)},"next_cursor":${JSON.stringify(diff.nextCursor)}}`;
}

function entryBody({ id, before, after }: DiffEntry, idOf: (id: number) => number | string): object {
  if (before && after) return { id: idOf(id), before: ruleBody(before), after: ruleBody(after) };
  const rule = before ?? after;
  return { id: idOf(id), ...(rule && ruleBody(rule)) };
}

function ruleBody({ oldPath, newPath, statusCode, isRegex }: DiffRule): object {
  return { old_path: oldPath, new_path: newPath, status_code: statusCode, is_regex: isRegex };
}

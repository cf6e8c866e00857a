import { z } from 'zod';
import type { DeploymentDiff, DiffEntry } from '../../../deployments/publish/versions/diff.ts';
import { actorField, nextCursor, Timestamp, component, listOf, part } from '../../../http/wire/fields.ts';
import { wireWriter } from '../../../http/wire/wire-names.ts';
import type { Dialect, Wire } from '../dialect.ts';
import { changeCounts } from './deployment-wire.ts';
import { ruleFields, windowFields } from '../redirects/wire.ts';

const Rule = z.object({ ...ruleFields, ...windowFields });
const changed = {
  changed_by: actorField
    .nullable()
    .describe('Who made the last change of the rule between the two; null if it is more than 30 days old.'),
  changed_at: Timestamp.nullable().describe('When; null if it is more than 30 days ago.'),
};

export function diffSchema<W extends Wire>({ id, named }: Dialect<W>) {
  const redirectId = id.describe('The id of the redirect.');
  const fields = Rule.shape;
  return component(named('DeploymentDiff'), {
    added: z.array(z.object({ id: redirectId, ...fields, ...changed })).describe('The added rules.'),
    changed: listOf('The changed rules.', {
      id: redirectId,
      before: Rule.describe('The rule in `from`.'),
      after: Rule.describe('The rule in `to`.'),
      ...changed,
    }),
    removed: z.array(z.object({ id: redirectId, ...fields, ...changed })).describe('The removed rules.'),
    counts: part('Exact totals of the whole difference.', changeCounts),
    live_only: z
      .int()
      .describe(
        'Of the removed rules: those that are live only by a promotion, because their redirects do not target the environment.',
      ),
    not_targeted: z
      .int()
      .describe(
        'Of the removed rules: those whose redirects exist, but do not target the environment of `to`. `kind=not_targeted` lists them.',
      ),
    next_cursor: nextCursor,
  });
}

/** Entries written to JSON between two yields: each may have two paths of 2 KB. */
const BATCH_SIZE = 100;

/** Writes a page of a diff as JSON text of `diffSchema`, in chunks that do not block the event loop. */
export async function* diffJson(diff: DeploymentDiff, dialect: Dialect): AsyncGenerator<string> {
  // An entry of any list.
  const states = { before: Rule.optional(), after: Rule.optional() };
  const write = wireWriter(z.object({ id: dialect.id, ...Rule.partial().shape, ...states, ...changed }));
  let separator = '{';
  for (const kind of ['added', 'changed', 'removed'] as const) {
    yield `${separator}"${kind}":[`;
    separator = '],';
    for (let start = 0; start < diff[kind].length; start += BATCH_SIZE) {
      const batch = diff[kind].slice(start, start + BATCH_SIZE);
      yield (start > 0 ? ',' : '') + batch.map((entry) => JSON.stringify(write(entryBody(entry)))).join(',');
    }
  }
  const { counts, liveOnly, notTargeted, nextCursor: cursor } = diff;
  const totals = JSON.stringify({ counts, live_only: liveOnly, not_targeted: notTargeted, next_cursor: cursor });
  yield `],${totals.slice(1)}`;
}

function entryBody({ id, before, after, changed }: DiffEntry) {
  const change = { id, changedBy: changed?.by ?? null, changedAt: changed?.at ?? null };
  return before && after ? { ...change, before, after } : { ...change, ...(before ?? after) };
}

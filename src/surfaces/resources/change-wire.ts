import { z } from 'zod';
import { actorField, Timestamp, component, part } from '../../http/wire/fields.ts';
import type { ChangeItem } from '../../redirects/changes/change-items.ts';
import type { ShownChange } from '../../redirects/changes/find-changes.ts';
import type { HistoryEntry } from '../../redirects/changes/history.ts';
import type { States } from '../../redirects/changes/states.ts';
import { environmentsOf, type RedirectRow } from '../../redirects/rule/redirect.ts';
import { CHANGE_KINDS } from '../../vocabulary/kinds.ts';
import type { Dialect, Wire } from './dialect.ts';
import { redirectSchema } from './redirects/wire.ts';

const kind = z.enum(CHANGE_KINDS).describe('The operation that wrote it.');
const counts = z.object({
  created: z.int().describe('Redirects created, or brought back.'),
  updated: z.int().describe('Redirects changed.'),
  deleted: z.int().describe('Redirects deleted.'),
});
const fields = z.array(z.string()).nullable();
const file_name = z
  .string()
  .nullable()
  .describe('The name of the imported file; null if it has none, or its import is no longer kept.');
const created_at = Timestamp.describe('When it was written.');
const undid = part('The change that it undid; null unless `kind` is `undo`, and if that change is no longer kept.', {
  kind: z.enum(CHANGE_KINDS).describe('Its operation.'),
  counts: counts.describe('What it did.'),
  fields: fields.describe('The fields that it updated.'),
  file_name,
}).nullable();

export function changeSchema<W extends Wire>(dialect: Dialect<W>) {
  const { id, named } = dialect;
  return component(named('Change'), {
    id: z.string().describe('The id, `chg_...`.'),
    website_id: id.describe('The id of the website.'),
    revision: z.int().describe('The number of the change in its website; later changes have larger ones.'),
    kind,
    actor: actorField,
    counts: counts.describe('What it did.'),
    old_path: z
      .string()
      .nullable()
      .describe('The path of the redirect, if the change is of a single one; otherwise null.'),
    ...statesSchema(dialect, 'Of a change of a single redirect: ', ' Null for others.'),
    fields: fields.describe('The fields that it updated, if that is all it did; null for imports, syncs and undos.'),
    file_name,
    created_at,
    undoes: z.string().nullable().describe('The id of the change that it undid; null unless `kind` is `undo`.'),
    undid,
    undone_by: z
      .string()
      .nullable()
      .describe('The id of the undo of this change; null without an undo, and after the undo was undone.'),
    undone: part('Who undid it, and when; null if `undone_by` is null.', {
      actor: actorField,
      created_at: Timestamp.describe('When it was undone.'),
    }).nullable(),
  });
}

/** Fields of a redirect that a change does not set. */
const DERIVED = {
  id: true,
  website_id: true,
  created_at: true,
  updated_at: true,
  deployed_to_prod: true,
  deployed_to_staging: true,
  deployed_to_dev: true,
  target_state: true,
  target_checked_at: true,
  last_hit_at: true,
  hits: true,
} as const;

const newStateSchema = <W extends Wire>(dialect: Dialect<W>) =>
  redirectSchema(dialect)
    .omit(DERIVED)
    .meta({ id: dialect.named('RedirectState') });

const stateSchemas = new WeakMap<object, unknown>();

/** One for each dialect: a response may have it at several places, and the document only one of its name. */
function stateSchema<W extends Wire>(dialect: Dialect<W>): ReturnType<typeof newStateSchema<W>> {
  const schema = stateSchemas.get(dialect) ?? newStateSchema(dialect);
  stateSchemas.set(dialect, schema);
  return schema as ReturnType<typeof newStateSchema<W>>;
}

function statesSchema<W extends Wire>(dialect: Dialect<W>, of = '', otherwise = '') {
  const State = stateSchema(dialect).nullable();
  const the = of === '' ? 'The' : `${of}the`;
  return {
    before: State.describe(`${the} redirect before the change; null if it did not exist.${otherwise}`),
    after: State.describe(`${the} redirect after the change; null if the change deleted it.${otherwise}`),
  };
}

export function changeItemSchema<W extends Wire>(dialect: Dialect<W>) {
  return component(dialect.named('ChangeItem'), {
    redirect_id: dialect.id.describe('The id of the redirect.'),
    old_path: z.string().describe('Its path after the change, or before its deletion.'),
    ...statesSchema(dialect),
  });
}

export function historySchema<W extends Wire>(dialect: Dialect<W>) {
  return component(dialect.named('HistoryEntry'), {
    change_id: z.string().describe('The id of the change.'),
    kind,
    actor: actorField,
    created_at,
    file_name,
    undid,
    ...statesSchema(dialect),
  });
}

export function changeBody({ undone, before, after, ...change }: ShownChange) {
  const states = statesBody({ before, after });
  return { ...change, ...states, undone: undone && { actor: undone.actor, createdAt: undone.at } };
}

export function changeItemBody({ redirectId, before, after }: ChangeItem) {
  return { redirectId, oldPath: (after ?? before)?.oldPath ?? '', ...statesBody({ before, after }) };
}

export function historyBody({ change, ...states }: HistoryEntry) {
  return { ...change, changeId: change.id, ...statesBody(states) };
}

const statesBody = ({ before, after }: States) => ({
  before: before && stateBody(before),
  after: after && stateBody(after),
});

const stateBody = (row: RedirectRow) => ({ ...row, targetEnvironments: environmentsOf(row) });

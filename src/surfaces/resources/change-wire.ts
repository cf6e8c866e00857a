import { z } from 'zod';
import { actorField, Timestamp } from '../../http/fields.ts';
import type { ChangeItem } from '../../redirects/changes/change-items.ts';
import type { ChangeOrigin, ShownChange } from '../../redirects/changes/find-changes.ts';
import type { HistoryEntry } from '../../redirects/changes/history.ts';
import { redirectOf, type RedirectRow } from '../../redirects/rule/redirect.ts';
import { CHANGE_KINDS } from '../../vocabulary/change.ts';
import type { Dialect, Wire } from './dialect.ts';
import { redirectBody, redirectSchema } from './redirects/wire.ts';

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
const undid = z
  .object({
    kind: z.enum(CHANGE_KINDS).describe('Its operation.'),
    counts: counts.describe('What it did.'),
    fields: fields.describe('The fields that it updated.'),
    file_name,
  })
  .nullable()
  .describe('The change that it undid; null unless `kind` is `undo`, and if that change is no longer kept.');

export function changeSchema<W extends Wire>({ id, suffix }: Dialect<W>) {
  return z
    .object({
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
      fields: fields.describe('The fields that it updated, if that is all it did; null for imports, syncs and undos.'),
      file_name,
      created_at,
      undoes: z.string().nullable().describe('The id of the change that it undid; null unless `kind` is `undo`.'),
      undid,
      undone_by: z
        .string()
        .nullable()
        .describe('The id of the undo of this change; null without an undo, and after the undo was undone.'),
      undone: z
        .object({ actor: actorField, created_at: Timestamp.describe('When it was undone.') })
        .nullable()
        .describe('Who undid it, and when; null if `undone_by` is null.'),
    })
    .meta({ id: `Change${suffix}` });
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
  last_hit_at: true,
  hits: true,
} as const;

function stateSchema<W extends Wire>(dialect: Dialect<W>) {
  return redirectSchema(dialect)
    .omit(DERIVED)
    .meta({ id: `RedirectState${dialect.suffix}` });
}

function statesSchema<W extends Wire>(dialect: Dialect<W>) {
  const State = stateSchema(dialect).nullable();
  return {
    before: State.describe('The redirect before the change; null if it did not exist.'),
    after: State.describe('The redirect after the change; null if the change deleted it.'),
  };
}

export function changeItemSchema<W extends Wire>(dialect: Dialect<W>) {
  return z
    .object({
      redirect_id: dialect.id.describe('The id of the redirect.'),
      old_path: z.string().describe('Its path after the change, or before its deletion.'),
      ...statesSchema(dialect),
    })
    .meta({ id: `ChangeItem${dialect.suffix}` });
}

export function historySchema<W extends Wire>(dialect: Dialect<W>) {
  return z
    .object({
      change_id: z.string().describe('The id of the change.'),
      kind,
      actor: actorField,
      created_at,
      file_name,
      undid,
      ...statesSchema(dialect),
    })
    .meta({ id: `HistoryEntry${dialect.suffix}` });
}

export function changeBody(change: ShownChange, { writeId }: Dialect) {
  const { id, websiteId, revision, kind, actor, counts, oldPath, fields, createdAt, undoes, undoneBy, undone } = change;
  return {
    id,
    website_id: writeId(websiteId),
    revision,
    kind,
    actor,
    counts,
    old_path: oldPath,
    fields,
    created_at: createdAt,
    undoes,
    ...originBody(change),
    undone_by: undoneBy,
    undone: undone && { actor: undone.actor, created_at: undone.at },
  };
}

function originBody({ fileName, undid }: ChangeOrigin) {
  const body = undid && { kind: undid.kind, counts: undid.counts, fields: undid.fields, file_name: undid.fileName };
  return { file_name: fileName, undid: body };
}

export function changeItemBody({ redirectId, before, after }: ChangeItem, dialect: Dialect) {
  return {
    redirect_id: dialect.writeId(redirectId),
    old_path: (after ?? before)?.oldPath ?? '',
    before: before && stateBody(before, dialect),
    after: after && stateBody(after, dialect),
  };
}

export function historyBody({ change, before, after }: HistoryEntry, dialect: Dialect) {
  return {
    change_id: change.id,
    kind: change.kind,
    actor: change.actor,
    created_at: change.createdAt,
    ...originBody(change),
    before: before && stateBody(before, dialect),
    after: after && stateBody(after, dialect),
  };
}

function stateBody(row: RedirectRow, dialect: Dialect) {
  return omit(redirectBody(redirectOf(row), dialect), Object.keys(DERIVED) as (keyof typeof DERIVED)[]);
}

function omit<T extends object, K extends string>(value: T, names: readonly K[]): Omit<T, K> {
  const omitted = new Set<string>(names);
  return Object.fromEntries(Object.entries(value).filter(([name]) => !omitted.has(name))) as Omit<T, K>;
}

import { z } from 'zod';
import { requireRole } from '../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import {
  bodyObject,
  changeId,
  EnvironmentName,
  heldBody,
  heldFields,
  nextCursor,
  opaqueId,
  pageParameters,
  queryObject,
  staleness,
  searchText,
  part,
  listOf,
} from '../../http/wire/fields.ts';
import { EXAMPLE_IDS } from '../../http/route-docs.ts';
import type { Api } from '../../http/wire/zod.ts';
import { readChangeItems } from '../../redirects/changes/change-items.ts';
import { listChanges, requireChange } from '../../redirects/changes/find-changes.ts';
import type { Reverted } from '../../redirects/undo/undo-change.ts';
import { readHistory } from '../../redirects/changes/history.ts';
import {
  changeBody,
  changeItemBody,
  changeItemSchema,
  changeSchema,
  historyBody,
  historySchema,
} from './change-wire.ts';
import { CHANGE_KINDS, UNDO_CONFLICTS } from '../../vocabulary/kinds.ts';
import type { Dialect } from './dialect.ts';

const DEFAULT_LIMIT = 100;
const page = pageParameters(1_000, DEFAULT_LIMIT);
const Params = z.object({ id: opaqueId('CHANGE_NOT_FOUND', 'Change').describe('The id of the change, `chg_...`.') });

/** Filters of a list of changes. */
export const changeFilterFields = {
  kind: z.enum(CHANGE_KINDS).optional().describe('Only changes of this kind.'),
  actor: searchText
    .optional()
    .describe(
      'Only changes of this actor: the email of a user, or the name of an API key. `*text*`: of actors with this text in their name, ignoring case.',
    ),
  old_path: searchText
    .optional()
    .describe('Only changes of redirects that have this path, or had it. Also the text of a pattern.'),
};

/** GET /changes, /changes/{id}. */
export function changeRoutes(app: Api, { db, reads }: SurfaceDeps, dialect: Dialect): void {
  const Change = changeSchema(dialect);
  const List = z.object({ changes: z.array(Change).describe('The changes.'), next_cursor: nextCursor });
  app.get('/changes', {
    ...dialect.operation('listChanges', 'changes'),
    summary: 'List changes',
    description: 'Every write to the redirects of a website in the last 30 days, imports included.',
    returns: 'The changes, newest first.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { query: { website_id: dialect.writeId(1), limit: 2 } },
    querystring: queryObject({ website_id: dialect.websiteId.query, ...changeFilterFields, ...page, ...staleness }),
    response: { 200: List },
    async handler({ actor, query: { limit = DEFAULT_LIMIT, cursor, maxStaleness, ...query } }) {
      const { websiteId: id, ...filter } = query;
      const input = { websiteId: dialect.websiteId.read(id), filter, limit, cursor };
      const { changes, nextCursor: next } = await reads.read(maxStaleness, (from) => listChanges(from, actor, input));
      return { changes: changes.map(changeBody), nextCursor: next };
    },
  });

  const One = z.object({
    change: Change.describe('The change.'),
    items: z.array(changeItemSchema(dialect)).describe('What it did to each redirect, by id.'),
    next_cursor: nextCursor,
  });
  app.get('/changes/:id', {
    ...dialect.operation('getChange', 'changes'),
    summary: 'Show a change',
    returns: 'The change, and a page of the redirects that it created, changed or deleted.',
    errors: ['CHANGE_NOT_FOUND'],
    example: { path: { id: EXAMPLE_IDS.change }, query: { limit: 2 } },
    params: Params,
    querystring: queryObject(page),
    response: { 200: One },
    async handler({ actor, params, query: { limit = DEFAULT_LIMIT, cursor } }) {
      const change = await requireChange(db, actor, params.id);
      const { items, nextCursor: next } = await readChangeItems(db, change, { limit, cursor });
      return { change: changeBody(change), items: items.map(changeItemBody), nextCursor: next };
    },
  });
}

export function undoRoute(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const Body = bodyObject({
    dry_run: z.boolean().optional().describe('Reports what would happen and changes nothing. Default false.'),
  });
  const Undo = z.object({
    undo: part('What the undo did, or would do.', {
      ...restoredCounts,
      expectations: z
        .int()
        .describe('Expectations that the change added and that have not changed since. They are deleted.'),
    }),
    ...restoredFields(dialect),
  });
  app.post('/changes/:id/undo', {
    config: { role: 'viewer' },
    ...dialect.operation('undoChange', 'changes'),
    summary: 'Undo a change',
    description:
      'Restores the redirects that the change updated or deleted, with their times and ids, and deletes those that it created, in one transaction. A redirect that has changed since stays and is listed. The undo is a change itself, so it can be undone. It requires the role editor or a write key; a dry run does not.',
    returns: 'What was undone, and what was not.',
    errors: ['CHANGE_NOT_FOUND', 'CONFLICT', 'PLAN_LIMIT_EXCEEDED', 'BUSY', ...dialect.roleErrors],
    example: { path: { id: EXAMPLE_IDS.change }, body: { dry_run: true } },
    params: Params,
    body: Body.optional(),
    response: { 200: Undo },
    async handler({ actor, params, body }) {
      const dryRun = body?.dryRun ?? false;
      if (!dryRun) requireRole(actor, 'editor');
      const undone = await deps.jobs.undoChange(actor, { changeId: params.id, dryRun });
      if (!dryRun) deps.committed();
      const { counts, ...rest } = restoredBody(undone);
      return { undo: { ...counts, expectations: undone.expectations }, ...rest };
    },
  });
}

export const restoredCounts = {
  restored: z.int().describe('Redirects that got their former fields back.'),
  recreated: z.int().describe('Deleted redirects that came back, with their ids.'),
  deleted: z.int().describe('Created redirects that were deleted.'),
  conflicts: z.int().describe('Redirects that stay as they are.'),
};

/** The fields of an undo or a discard beside its counts. */
export const restoredFields = (dialect: Dialect) => ({
  conflicts: listOf('The first 1,000 redirects that stay as they are, by id.', {
    redirect_id: dialect.id.describe('The id of the redirect.'),
    old_path: z.string().describe('Its path.'),
    code: z
      .enum(UNDO_CONFLICTS)
      .describe(
        '`CHANGED_SINCE`: it changed after the change; `CONFLICT`: another redirect has its path; `TARGET_HOST_NOT_ALLOWED`, `TOO_MANY_PATTERNS`: its former rule is no longer allowed.',
      ),
  }),
  environments: z
    .array(EnvironmentName)
    .describe('The environments whose rules it changes. A website with `auto_deploy` deploys them.'),
  change_id: changeId,
  deployments: z.array(z.string()).describe('The ids of the deployments that it queued.'),
  ...heldFields,
});

export function restoredBody(done: Reverted) {
  const { restored, recreated, deleted, conflictCount, conflicts, changeId: id, environments, deployments } = done;
  const counts = { restored, recreated, deleted, conflicts: conflictCount };
  const ids = deployments.map((deployment) => deployment.id);
  return { counts, conflicts, environments, changeId: id, deployments: ids, ...heldBody(done.held) };
}

export function historyRoute(app: Api, { db }: SurfaceDeps, dialect: Dialect): void {
  const History = z.object({
    history: z.array(historySchema(dialect)).describe('The changes of the redirect.'),
    next_cursor: nextCursor,
  });
  app.get('/redirects/:id/history', {
    ...dialect.operation('getRedirectHistory', 'changes'),
    summary: 'Show the history of a redirect',
    description:
      'Every change of the redirect in the last 30 days, imports included. Deleted redirects have a history too.',
    returns: 'The changes, newest first.',
    errors: ['REDIRECT_NOT_FOUND'],
    example: { path: { id: dialect.writeId(2) }, query: { limit: 1 } },
    params: z.object({ id: dialect.redirectId.path }),
    querystring: queryObject(page),
    response: { 200: History },
    async handler({ actor, params, query: { limit = DEFAULT_LIMIT, cursor } }) {
      const id = dialect.redirectId.read(params.id);
      const { history, nextCursor: next } = await readHistory(db, actor, id, { limit, cursor });
      return { history: history.map(historyBody), nextCursor: next };
    },
  });
}

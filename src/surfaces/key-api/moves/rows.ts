import { z } from 'zod';
import { requireRole } from '../../../accounts/permissions.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, nextCursor, pageParameters, queryObject, staleness } from '../../../http/wire/fields.ts';
import { wireWriter } from '../../../http/wire/wire-names.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { decideNamed, type FilterDecision, type NamedDecision as NamedRow } from '../../../moves/decide/decide-rows.ts';
import { listRows, ROW_SORTS } from '../../../moves/rows/list-rows.ts';
import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import { invalid, missing, wrongParameter } from '../../../vocabulary/error.ts';
import { MAX_UNDO_STEPS } from '../../../vocabulary/moves.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { examplePath, MOVE, moveParams, movePlace } from './move-wire.ts';
import { Decided, decidedFields, filterDecision, filterFields, NamedDecision, RowBody } from './row-wire.ts';

const DEFAULT_LIMIT = 100;
const MAX_ROWS = 1_000;

const shared = { tag: 'Moves (key API)', params: moveParams } as const;
const writeRow = wireWriter(RowBody);

/** GET, PUT /moves/{move_id}/rows; POST .../undo. */
export function moveRowRoutes(api: Api, deps: SurfaceDeps): void {
  const { reads } = deps;
  const List = z.object({ rows: z.array(RowBody).describe('The rows.'), next_cursor: nextCursor });
  api.get(`${MOVE}/rows`, {
    config: { forDashboard: true, gives: { 'application/json': List } },
    ...shared,
    operationId: 'listMoveRowsV1',
    summary: 'List rows of a move',
    returns: 'A page of rows, the largest weight first by default, ties by URL.',
    errors: ['WEBSITE_NOT_FOUND', 'MOVE_NOT_FOUND'],
    example: { path: examplePath, query: { decision: 'none', limit: 2 } },
    querystring: queryObject({
      ...filterFields,
      sort: z
        .enum(ROW_SORTS)
        .optional()
        .describe('The order; `-` is descending. `weight` is `-weight` backwards, ties included. Default `-weight`.'),
      ...pageParameters(MAX_ROWS, DEFAULT_LIMIT),
      ...staleness,
    }),
    async handler(
      { actor, params, query: { limit = DEFAULT_LIMIT, sort = '-weight', maxStaleness, ...filter } },
      reply,
    ) {
      const page = { ...movePlace(params), limit, sort, ...filter };
      const { rows, nextCursor } = await reads.read(maxStaleness, (from) => listRows(from, actor, page));
      // 1,000 rows have up to 10,000 suggestions.
      const slice = createTimeSlice();
      const texts: string[] = [];
      for (const row of rows) {
        if (slice.isOver()) await slice.yield();
        texts.push(JSON.stringify(writeRow(row)));
      }
      void reply.type('application/json; charset=utf-8');
      return reply.send(`{"rows":[${texts.join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`);
    },
  });
  putRows(api, deps);
  undoRoute(api, deps);
}

function putRows(api: Api, { db, jobs }: SurfaceDeps): void {
  api.put(`${MOVE}/rows`, {
    config: { role: 'viewer', forDashboard: true },
    ...shared,
    operationId: 'decideMoveRowsV1',
    summary: 'Decide rows of a move',
    description:
      'Decides up to 1,000 named rows, or all rows that a filter finds. If a decision is invalid, nothing is applied; a row that was changed since is a conflict, and the others are applied. A dry run needs only a read key.',
    returns: 'The number of rows that changed, and the conflicts.',
    errors: [
      'WEBSITE_NOT_FOUND',
      'MOVE_NOT_FOUND',
      'VALIDATION_ERROR',
      'REDIRECT_LOOP',
      'TOO_MANY_ITEMS',
      'BUSY',
      ...keyDialect.roleErrors,
    ],
    example: {
      path: examplePath,
      body: { rows: [{ url: '/old/install.html', decision: 'redirect', target: '/docs/install', revision: 0 }] },
    },
    body: bodyObject(
      {
        rows: z.array(NamedDecision).max(MAX_ROWS).optional().describe('Decisions about 1 to 1,000 rows.'),
        ...filterDecision,
        dry_run: z.boolean().default(false).describe('Counts and checks, and changes nothing. Default false.'),
      },
      { atLeastOne: true, conditions: ['dry_run'] },
    ),
    response: { 200: Decided },
    async handler({ actor, params, body: { rows, dryRun, ...byFilter } }) {
      if (!dryRun) requireRole(actor, 'editor');
      const place = movePlace(params);
      if (!rows) return jobs.decideMoveRows(actor, { ...place, ...checkFilter(byFilter), dryRun });
      for (const [name, value] of Object.entries(byFilter))
        if (value !== undefined) throw wrongParameter(name, 'must not be beside rows; send it in each row');
      return decideNamed(db, actor, place, { rows: checkRevisions(rows), dryRun });
    },
  });
}

function checkRevisions(rows: (Omit<NamedRow, 'revision'> & { revision?: number | undefined })[]): NamedRow[] {
  if (rows.length === 0) throw invalid('rows', 'must have 1 to 1,000 rows');
  return rows.map(({ revision, ...row }, index) => {
    if (revision === undefined)
      throw missing(`rows[${index}].revision`, 'is required; send that of the row which you have seen');
    return { ...row, revision };
  });
}

type GivenFilter = { [Name in keyof Omit<FilterDecision, 'dryRun'>]?: FilterDecision[Name] | undefined };

function checkFilter({
  filter,
  decision,
  target = null,
  statusCode = null,
  minConfidence,
}: GivenFilter): Omit<FilterDecision, 'dryRun'> {
  if (!filter) throw missing('filter', 'required, or rows');
  if (decision === undefined) throw missing('decision', 'required beside a filter; null takes decisions back');
  const isAccept = decision === 'accept_suggestion';
  if (minConfidence !== undefined && !isAccept)
    throw wrongParameter('min_confidence', 'applies to accept_suggestion; filter by confidence instead');
  if (isAccept && target !== null) throw wrongParameter('target', 'is that of each suggestion; omit it');
  return { filter, decision, target, statusCode, minConfidence: minConfidence ?? 'likely' };
}

function undoRoute(api: Api, { jobs }: SurfaceDeps): void {
  const { updated, ...conflicts } = decidedFields;
  api.post(`${MOVE}/undo`, {
    config: { forDashboard: true },
    ...shared,
    operationId: 'undoMoveStepsV1',
    summary: 'Undo decisions of a move',
    description:
      "Takes back the caller's last calls that decided rows of the move, newest first, with the rules that they stored. A row that was decided again since is a conflict and stays.",
    returns: 'The number of rows that changed, and the conflicts.',
    errors: ['WEBSITE_NOT_FOUND', 'MOVE_NOT_FOUND', 'VALIDATION_ERROR', 'BUSY'],
    example: { path: examplePath, body: { steps: 1 } },
    body: bodyObject({
      steps: z.int().min(1).max(MAX_UNDO_STEPS).default(1).describe('The number of calls, 1 (default) to 100.'),
    }),
    response: {
      200: z.object({
        steps: z.int().describe('The calls that were undone; the last 100 are kept.'),
        updated,
        ...conflicts,
      }),
    },
    handler: ({ actor, params, body }) => jobs.undoMoveSteps(actor, { ...movePlace(params), ...body }),
  });
}

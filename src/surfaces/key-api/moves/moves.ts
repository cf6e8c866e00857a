import { z } from 'zod';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { etagOf, sendIfUnchanged } from '../../../http/server/response-headers.ts';
import {
  listOf,
  Message,
  nextCursor,
  pageParameters,
  queryInteger,
  queryObject,
  staleness,
  searchText,
} from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { deleteMove, purgeMove } from '../../../moves/delete-move.ts';
import { detailsVersion, listMoves, searchCandidates, withDetails } from '../../../moves/list-moves.ts';
import { requireMove } from '../../../moves/move.ts';
import { keyDialect } from '../../resources/dialect.ts';
import {
  examplePath as path,
  ListedMove,
  listedMove,
  Move,
  MOVE,
  moveBody,
  moveParams,
  movePlace,
  MOVES,
  websiteParams,
} from './move-wire.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const MAX_FOUND = 100;
const DEFAULT_FOUND = 20;

/** The routes of moves, except the creation and those of rows. */
export function moveRoutes(api: Api, { db, jobs, clock, reads }: SurfaceDeps): void {
  const tag = 'Moves (key API)';
  const config = { forDashboard: true };
  const one = { config, tag, params: moveParams, errors: ['MOVE_NOT_FOUND', 'WEBSITE_NOT_FOUND'] } as const;

  api.get(MOVES, {
    config,
    tag,
    params: websiteParams,
    operationId: 'listMovesV1',
    summary: 'List moves',
    returns: 'A page of the moves of a website, newest first.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: '1' } },
    querystring: queryObject({ ...pageParameters(MAX_LIMIT, DEFAULT_LIMIT), ...staleness }),
    response: { 200: z.object({ moves: z.array(ListedMove).describe('The moves.'), next_cursor: nextCursor }) },
    async handler({ actor, params, query: { limit = DEFAULT_LIMIT, cursor, maxStaleness } }) {
      const page = { websiteId: keyDialect.websiteId.read(params.id), limit, cursor };
      const { moves, nextCursor: next } = await reads.read(maxStaleness, (from) => listMoves(from, actor, page));
      return { moves: moves.map((move) => listedMove(actor, move)), nextCursor: next };
    },
  });

  api.get(MOVE, {
    ...one,
    operationId: 'getMoveV1',
    summary: 'Read a move',
    description: 'To poll it, send the `ETag` of the last response in `If-None-Match`: 304 reads no rows.',
    returns: 'The move with its progress, warnings, and what visitors have met since it was applied.',
    responseHeaders: ['ETag'],
    example: { path },
    response: { 200: z.object({ move: Move }) },
    async handler(request, reply) {
      const { actor, params } = request;
      const move = await requireMove(db, actor, movePlace(params));
      if (sendIfUnchanged(request, reply, etagOf(detailsVersion(move, clock.now())))) return reply;
      return { move: moveBody(actor, await withDetails(db, move)) };
    },
  });

  api.delete(MOVE, {
    ...one,
    operationId: 'deleteMoveV1',
    summary: 'Delete a move',
    description: 'Its rows are deleted in the background. What it applied stays.',
    returns: 'The move is deleted.',
    example: { path },
    response: { 200: Message },
    async handler({ actor, params }) {
      const place = movePlace(params);
      await deleteMove(db, actor, place);
      // The hourly maintenance deletes what this leaves.
      void purgeMove(db, place.moveId).catch(() => {});
      return { message: `Move ${place.moveId} is deleted` };
    },
  });

  api.post(`${MOVE}/refresh`, {
    ...one,
    operationId: 'refreshMoveV1',
    summary: 'Refresh a move',
    description:
      'Renews the candidates from the living pages, and computes all suggestions again. Those of a list stay as they are. Rows and decisions stay.',
    returns: 'The move, which is matching.',
    errors: [...one.errors, 'TARGET_HOST_NOT_ALLOWED', 'TOO_MANY_URLS', 'EMPTY_BODY', 'BUSY'],
    example: { path },
    response: { 202: z.object({ move: Move }) },
    handler: async ({ actor, params }) => ({ move: moveBody(actor, await jobs.refreshMove(actor, movePlace(params))) }),
  });

  api.get(`${MOVE}/candidates`, {
    ...one,
    operationId: 'searchMoveCandidatesV1',
    summary: 'Search candidates of a move',
    returns: 'The candidates that are found, the shortest URLs first.',
    example: { path, query: { q: 'install', limit: 2 } },
    querystring: queryObject({
      q: searchText.optional().describe('Text in the URL or the title, ignoring case. Default: all.'),
      limit: queryInteger(1, MAX_FOUND)
        .default(DEFAULT_FOUND)
        .describe(`The maximum number. Default ${DEFAULT_FOUND}.`),
    }),
    response: {
      200: z.object({
        candidates: listOf('The candidates.', {
          url: z.string().describe('The target: a path, or an address on another host.'),
          title: z.string().nullable().describe('The title of the page.'),
        }),
      }),
    },
    handler: async ({ actor, params, query }) => ({
      candidates: await searchCandidates(db, actor, { ...movePlace(params), ...query }),
    }),
  });
}

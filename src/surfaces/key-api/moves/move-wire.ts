/** Moves on the wire. */
import { z } from 'zod';
import { shownActor } from '../../../accounts/website-scope.ts';
import { EXAMPLE_IDS } from '../../../http/route-docs.ts';
import { actorField, component, listOf, opaqueId, part, Timestamp } from '../../../http/wire/fields.ts';
import type { MoveDetails } from '../../../moves/list-moves.ts';
import type { Move as StoredMove } from '../../../moves/move.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { MOVE_STATES } from '../../../vocabulary/moves.ts';
import { keyDialect } from '../../resources/dialect.ts';

export const MOVES = '/websites/:id/moves';
export const MOVE = `${MOVES}/:move_id`;
export const examplePath = { id: '1', move_id: EXAMPLE_IDS.move };
export const websiteParams = z.object({ id: keyDialect.websiteId.path });
export const moveParams = websiteParams.extend({
  move_id: opaqueId('MOVE_NOT_FOUND', 'Move').describe('The id of the move, `mov_...`.'),
});

/** Path parameters of a route of a move as its place. */
export const movePlace = ({ id, moveId }: { id: string | number; moveId: string }) => ({
  websiteId: keyDialect.websiteId.read(id),
  moveId,
});

const count = (text: string) => z.int().describe(text);

const progress = {
  rows: count('All rows.'),
  matched: count('Rows whose suggestions are computed.'),
  decided: count('Decided rows.'),
  weight: z.number().describe('The weight of all rows.'),
  weight_decided: z.number().describe('The weight of decided rows.'),
};

const fields = {
  id: z.string().describe('The id of the move, `mov_...`.'),
  website_id: keyDialect.id.describe('The id of the website.'),
  name: z.string().describe('The name.'),
  state: z
    .enum(MOVE_STATES)
    .describe(
      '`matching`: suggestions are computed; rows can be decided meanwhile. `ready`: all are there. `applied`: it was applied at least once. `failed`: see `error`.',
    ),
  error: z.string().nullable().describe('Why it failed; else null.'),
  from: z.enum(['lost', 'filter', 'urls', 'file']).describe('What its rows were made from.'),
  to: z
    .enum(['living', 'website', 'file'])
    .describe('The candidates: living pages of the website, of another one, or those of a list.'),
  to_host: z.string().nullable().describe('The host in targets on another website; else null.'),
  merged: count('URLs that are in the row of another one with the same path and query.'),
  candidates: count('Pages that rows may go to.'),
  left_out: count('Pages that cannot be targets, such as those of hosts that are not allowed.'),
  progress: part('How far the move is.', progress),
  change_id: z.string().nullable().describe('The change of the last apply, `chg_...`.'),
  applied_at: Timestamp.nullable().describe('When it was last applied.'),
  created_by: actorField,
  created_at: Timestamp.describe('When it was created.'),
};

/** In a list. */
export const ListedMove = component('ListedMove', fields);

export const warnings = listOf('The ten targets that the most decided redirects share, from ten rows on.', {
  code: z.literal('SHARED_TARGET').describe('Search engines take redirects of many pages to one for missing pages.'),
  target: z.string().describe('The target.'),
  rows: count('Decided redirects to it.'),
});

const MoveBody = component('Move', {
  ...fields,
  progress: part('How far the move is.', {
    ...progress,
    undecided: part(
      'Undecided rows by the confidence of their suggestion; not in answers that create or refresh a move.',
      {
        sure: count('Sure.'),
        likely: count('Likely.'),
        guess: count('Guesses.'),
        none: count('Without a suggestion, or not matched yet.'),
      },
    ).optional(),
  }),
  warnings,
  met: z
    .object({
      urls: count('Decided URLs, as redirects or as gone.'),
      by_people: count('Those that humans have requested since the day of the apply, in production.'),
      by_search_engines: count('Those that known bots have requested.'),
      by_patterns: count('Those that a rule of the move answers. Hits of a rule are not stored for each URL.'),
      by_hit_patterns: count('Of `by_patterns`, those whose rule has been requested; not each of them is met.'),
    })
    .nullable()
    .describe('Null before the move is applied. A URL that a pattern answers is in `by_patterns` only.'),
});

export const Move = MoveBody.describe('The move.');

export const listedMove = (viewer: Actor, move: StoredMove) => ({
  ...move,
  from: move.source.from.kind,
  to: move.toWebsiteId === null ? move.source.to.kind : ('website' as const),
  progress: move,
  appliedAt: move.appliedAt === null ? null : new Date(move.appliedAt),
  createdAt: new Date(move.createdAt),
  createdBy: shownActor(viewer, { type: move.actorType, id: move.actorId, name: move.actorName }),
});

/** A move with its details, which a new one does not have. */
export const moveBody = (viewer: Actor, move: StoredMove & Partial<MoveDetails>) => ({
  ...listedMove(viewer, move),
  warnings: move.warnings ?? [],
  met: move.met ?? null,
});

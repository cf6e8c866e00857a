/** Moves of websites: old URLs, pages that they may go to, and what people decided. */
import { index, integer, jsonb, pgTable, primaryKey, smallint, text } from '../drizzle.ts';
import type { Decision, MoveState } from '../../vocabulary/moves.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { byActor, bytewise, createdAt, int8, time } from './columns.ts';

/** `matched`, `decided` and `weight_decided` are counts over its rows; every writer of rows locks the move. */
export const moves = pgTable(
  'moves',
  {
    id: text().primaryKey(),
    websiteId: integer().notNull(),
    name: text().notNull(),
    state: text().$type<MoveState>().notNull(),
    error: text(),
    /** what the rows and candidates were made from: moves/move.ts, MoveSource */
    source: jsonb().notNull(),
    /** website of the candidates, if it is another one, and its host in targets */
    toWebsiteId: integer(),
    toHost: text(),
    rows: integer().notNull(),
    /** rows of the source that were the same as another one */
    merged: integer().notNull(),
    candidates: integer().notNull(),
    /** pages that cannot be targets */
    leftOut: integer().notNull(),
    matched: integer().notNull().default(0),
    decided: integer().notNull().default(0),
    weight: int8().notNull(),
    weightDecided: int8().notNull().default(0),
    /** grows with each refresh; rows of an earlier one are matched again */
    generation: integer().notNull().default(1),
    /** decided rows when suggestions were last learnt from decisions */
    learntFrom: integer().notNull().default(0),
    /** the process that matches it, while its lease lasts */
    lease: text(),
    leaseUntil: time(),
    /** of the last apply */
    changeId: text(),
    appliedAt: time(),
    ...byActor,
    createdAt: createdAt(),
  },
  (t) => [index('moves_website_id_idx').on(t.websiteId, t.createdAt.desc().nullsFirst())],
);

/** A decision about a row; `decided*` is who decided, and all are null without a decision. */
const decisionColumns = {
  decision: text().$type<Decision>(),
  target: text(),
  statusCode: smallint(),
  /** pattern of the rule of the move that decided it */
  rule: text(),
  decidedType: text().$type<Actor['type']>(),
  decidedId: text(),
  decidedName: text(),
  decidedAt: time(),
};

/** Old URLs. `url` is the canonical path with its whole query. */
export const moveRows = pgTable(
  'move_rows',
  {
    moveId: text().notNull(),
    url: bytewise().notNull(),
    websiteId: integer().notNull(),
    /** the address as its source wrote it; null: the same as `url` */
    rawUrl: text(),
    /** all addresses of a row that was made from several; else null */
    rawUrls: text().array(),
    title: text(),
    headline: text(),
    description: text(),
    weight: int8().notNull(),
    /** moves.generation for which the suggestions were computed; 0: none yet */
    generation: integer().notNull().default(0),
    suggested: text().$type<'redirect' | 'gone' | 'keep'>(),
    /** index in CONFIDENCES */
    confidence: smallint(),
    ...decisionColumns,
    /** move_steps.id of the last step that decided it */
    step: int8(),
    revision: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.moveId, t.url] }),
    index('move_rows_weight_idx').on(t.moveId, t.weight.desc().nullsFirst(), t.url),
    index('move_rows_website_id_idx').on(t.websiteId),
  ],
);

/** Apart from the rows, which are ten times as small: filters and decisions read and write all of them. */
export const moveSuggestions = pgTable(
  'move_suggestions',
  {
    moveId: text().notNull(),
    url: bytewise().notNull(),
    websiteId: integer().notNull(),
    /** {reasons, suggestions} of suggestions/suggest.ts */
    found: jsonb().notNull(),
  },
  (t) => [primaryKey({ columns: [t.moveId, t.url] }), index('move_suggestions_website_id_idx').on(t.websiteId)],
);

/** Pages that rows may go to, as targets: paths, or addresses of another website. */
export const moveCandidates = pgTable(
  'move_candidates',
  {
    moveId: text().notNull(),
    url: bytewise().notNull(),
    websiteId: integer().notNull(),
    title: text(),
    headline: text(),
    description: text(),
  },
  (t) => [primaryKey({ columns: [t.moveId, t.url] }), index('move_candidates_website_id_idx').on(t.websiteId)],
);

/** Patterns that a move will write instead of single redirects. */
export const moveRules = pgTable(
  'move_rules',
  {
    moveId: text().notNull(),
    pattern: text().notNull(),
    websiteId: integer().notNull(),
    target: text().notNull(),
    /** move_steps.id of the call that stored it */
    step: int8().notNull(),
    ...byActor,
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.moveId, t.pattern] })],
);

/** Calls that decided rows, the last 100 of each person, so that they can be undone. */
export const moveSteps = pgTable(
  'move_steps',
  {
    id: int8().primaryKey().generatedAlwaysAsIdentity(),
    moveId: text().notNull(),
    websiteId: integer().notNull(),
    ...byActor,
    /** the row of move_rules that it removed, for its undo */
    removedRule: jsonb(),
    createdAt: createdAt(),
  },
  (t) => [index('move_steps_move_id_idx').on(t.moveId, t.actorType, t.actorId, t.id)],
);

/** The former decision of each row of a step. */
export const moveStepRows = pgTable(
  'move_step_rows',
  {
    stepId: int8().notNull(),
    url: bytewise().notNull(),
    moveId: text().notNull(),
    websiteId: integer().notNull(),
    ...decisionColumns,
    /** the step before it, null if it was undecided */
    step: int8(),
  },
  (t) => [
    primaryKey({ columns: [t.stepId, t.url] }),
    index('move_step_rows_move_id_idx').on(t.moveId),
    index('move_step_rows_website_id_idx').on(t.websiteId),
  ],
);

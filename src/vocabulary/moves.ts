/** Moves: their states, and what a row of one can have. */

/** `matching`: suggestions are computed; `ready`: all are there; `applied`: decisions were applied at least once. */
export const MOVE_STATES = ['matching', 'ready', 'applied', 'failed'] as const;
export type MoveState = (typeof MOVE_STATES)[number];

/** `keep`: the page stays; `skip`: left to later, nothing is written. */
export const DECISIONS = ['redirect', 'gone', 'keep', 'skip'] as const;
export type Decision = (typeof DECISIONS)[number];

/** From the least certain; a row stores the index. */
export const CONFIDENCES = ['guess', 'likely', 'sure'] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** Rows of a move. */
export const MAX_MOVE_ROWS = 200_000;
/** Pages that a move can suggest. */
export const MAX_MOVE_CANDIDATES = 1_000_000;
/** Moves of a website that were not applied. */
export const MAX_OPEN_MOVES = 20;
/** Calls of one person that can be undone. */
export const MAX_UNDO_STEPS = 100;

/** The move that a command works on, and its text. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Confidence, MoveState } from '../../vocabulary/moves.ts';
import type { Context } from '../command.ts';
import { CommandError, counted } from '../errors.ts';
import { withProgress } from '../progress.ts';
import type { Website } from '../website.ts';

export interface Move {
  id: string;
  name: string;
  state: MoveState;
  error: string | null;
  merged: number;
  candidates: number;
  left_out: number;
  progress: Record<'rows' | 'matched' | 'decided' | 'weight' | 'weight_decided', number> & {
    /** of one move: undecided rows by the confidence of their suggestion */
    undecided?: Record<Confidence | 'none', number>;
  };
  warnings?: { code: string; target: string; rows: number }[];
  met: Record<'urls' | 'by_people' | 'by_search_engines' | 'by_patterns' | 'by_hit_patterns', number> | null;
}

const POLL_MS = 500;
/** Moves that are searched for the newest open one. */
const MAX_SEARCHED = 100;

export const pathOf = (website: Website, move?: string): string =>
  `/websites/${website.id}/moves${move === undefined ? '' : `/${move}`}`;

/** The move that the first word names, or the newest that was not applied. Throws a CommandError without one. */
export async function moveOf({ client, words }: Context, website: Website): Promise<Move> {
  const [named] = words;
  const id = named ?? (await openMoves(client, website))[0]?.id;
  if (id === undefined)
    throw new CommandError(`${website.name} has no open move: begin one with \`detour move start\``);
  return (await client.get<{ move: Move }>(pathOf(website, id))).move;
}

async function openMoves(client: Context['client'], website: Website): Promise<Move[]> {
  return (await listMoves(client, website)).filter(({ state }) => state !== 'applied');
}

/** The newest moves, the newest first. */
export async function listMoves(client: Context['client'], website: Website): Promise<Move[]> {
  return (await client.get<{ moves: Move[] }>(pathOf(website), { limit: MAX_SEARCHED })).moves;
}

/** Waits until each row has its suggestions. Throws a CommandError if the matching failed. */
export async function waitUntilMatched({ client, terminal }: Context, website: Website, id: string): Promise<Move> {
  return withProgress(terminal.stderr, async (show) => {
    for (;;) {
      const { move } = await client.get<{ move: Move }>(pathOf(website, id));
      if (move.state === 'failed') throw new CommandError(`move ${id} failed: ${move.error ?? 'unknown reason'}`);
      if (move.state !== 'matching') return move;
      show(`matching ${shown(move.progress.matched)} of ${shown(move.progress.rows)}`);
      await sleep(POLL_MS);
    }
  });
}

export const shown = (count: number): string => count.toLocaleString('en');

const share = (part: number, all: number): string => (all === 0 ? '100 %' : `${Math.floor((100 * part) / all)} %`);

/** A move in one line. */
export function moveLine({ id, name, state, progress }: Move): string {
  const { rows, decided, weight, weight_decided: decidedWeight } = progress;
  const byWeight = weight > 0 ? `, ${share(decidedWeight, weight)} by weight` : '';
  return `${id}  ${name}: ${state}, ${shown(decided)} of ${shown(rows)} decided (${share(decided, rows)}${byWeight})`;
}

/** A move with what it shows of its rows. */
export function moveText(move: Move): string {
  const { progress, warnings = [], merged, left_out: leftOut, met, error } = move;
  return [
    moveLine(move),
    ...(error === null ? [] : [`  error: ${error}`]),
    `  candidates: ${shown(move.candidates)}`,
    ...(merged > 0 ? [`  ${counted(merged, 'old URL was', 'old URLs were')} the same as another one`] : []),
    ...(leftOut > 0
      ? [
          `  ${counted(leftOut, 'page was left out, because it cannot be a target', 'pages were left out, because they cannot be targets')}`,
        ]
      : []),
    ...(progress.undecided ? [`  undecided: ${undecidedText(progress.undecided)}`] : []),
    ...warnings.map(
      ({ target, rows }) => `  warning: ${shown(rows)} rows go to ${target}; search engines may see it as a soft 404`,
    ),
    ...(met
      ? [
          `  met since by people: ${shown(met.by_people)}, by search engines: ${shown(met.by_search_engines)}, of ${counted(met.urls, 'old URL', 'old URLs')}`,
          ...(met.by_patterns > 0
            ? [
                `  by rules: ${shown(met.by_patterns)} of these, ${shown(met.by_hit_patterns)} of rules that were requested`,
              ]
            : []),
        ]
      : []),
  ].join('\n');
}

const undecidedText = ({ sure, likely, guess, none }: NonNullable<Move['progress']['undecided']>): string =>
  `${shown(sure)} sure, ${shown(likely)} likely, ${counted(guess, 'guess', 'guesses')}, ${shown(none)} without a suggestion`;

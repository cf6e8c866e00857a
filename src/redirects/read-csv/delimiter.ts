import type { RawRecord } from './framing.ts';
import type { Delimiter } from './tokenize.ts';

export const DELIMITERS: readonly Delimiter[] = [',', ';', '|', '\t'];

/**
 * The delimiter that explains a file best: first the one under which most cells of the first row are known headers,
 * then the one under which most rows have the same number of cells, two or more; then the one whose second cell
 * looks like a target most often (a `,` inside paths divides rows as evenly as a `;` between them), then the order of
 * DELIMITERS. `known` counts known headers in a row.
 */
export function chooseDelimiter(
  samples: ReadonlyMap<Delimiter, readonly RawRecord[]>,
  known: (cells: readonly string[]) => number,
): Delimiter {
  let best: Delimiter = ',';
  let bestScore = [-1, -1, -1];
  for (const delimiter of DELIMITERS) {
    const records = (samples.get(delimiter) ?? []).filter((record) => record.problem === undefined);
    const rows = records.filter((record) => !record.cells[0]?.startsWith('#'));
    const score = [
      Math.max(0, ...rows.slice(0, 1).map((row) => known(row.cells))),
      consistency(rows),
      targets(rows),
    ];
    if (isHigher(score, bestScore)) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

/** The share of rows that have as many cells as most rows have; 0 where that is a single cell. */
function consistency(rows: readonly RawRecord[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  let width = 0;
  let most = 0;
  for (const [cells, count] of counts) {
    if (count > most) [width, most] = [cells, count];
  }
  return width < 2 ? 0 : most / rows.length;
}

function targets(rows: readonly RawRecord[]): number {
  const found = rows.filter(({ cells }) => /^(\/|https?:\/\/)/i.test(cells[1] ?? ''));
  return rows.length === 0 ? 0 : found.length / rows.length;
}

function isHigher(score: readonly number[], than: readonly number[]): boolean {
  for (let at = 0; at < score.length; at++) {
    const difference = (score[at] ?? 0) - (than[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

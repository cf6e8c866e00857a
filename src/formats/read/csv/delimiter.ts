import type { RawRecord } from './framing.ts';
import { type Delimiter, DELIMITERS } from './tokenize.ts';

/**
 * Chooses the delimiter of a file. The criteria, most important first:
 * 1. how many cells of the first row are known headers (`countKnown`),
 * 2. how many rows have the same number of cells, two or more,
 * 3. how often the second cell looks like a target: a `,` inside paths splits rows as evenly as a `;` between them,
 * 4. the order of DELIMITERS.
 */
export function chooseDelimiter(
  samples: ReadonlyMap<Delimiter, readonly RawRecord[]>,
  countKnown: (cells: readonly string[]) => number,
): Delimiter {
  const ranked = DELIMITERS.map((delimiter) => {
    const records = (samples.get(delimiter) ?? []).filter((record) => record.problem === undefined);
    const rows = records.filter((record) => !record.cells[0]?.startsWith('#'));
    const known = countKnown(rows[0]?.cells ?? []);
    return { delimiter, known, consistency: consistency(rows), targets: targetShare(rows) };
  });
  ranked.sort((a, b) => b.known - a.known || b.consistency - a.consistency || b.targets - a.targets);
  return ranked[0]?.delimiter ?? ',';
}

/** The share of rows with the most frequent number of cells; 0 if that number is one. */
function consistency(rows: readonly RawRecord[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  let [width, frequency] = [0, 0];
  for (const [cells, count] of counts) if (count > frequency) [width, frequency] = [cells, count];
  return width < 2 ? 0 : frequency / rows.length;
}

function targetShare(rows: readonly RawRecord[]): number {
  const found = rows.filter(({ cells }) => /^(\/|https?:\/\/)/i.test(cells[1] ?? ''));
  return rows.length === 0 ? 0 : found.length / rows.length;
}

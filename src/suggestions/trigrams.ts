const MAX_LENGTH = 120;

/** Trigrams of the first 120 characters of an ASCII text, with its start and end; a repeated one counts again. */
export function trigramsOf(text: string): number[] {
  const found: number[] = [];
  const padded = ` ${text.slice(0, MAX_LENGTH)} `;
  for (let i = 2; i < padded.length; i++)
    found.push((padded.charCodeAt(i - 2) << 14) | (padded.charCodeAt(i - 1) << 7) | padded.charCodeAt(i));
  return found;
}

/** Dice similarity of two lists of trigrams, from 0 to 1. */
export function trigramSimilarity(a: ReadonlySet<number>, b: readonly number[]): number {
  let shared = 0;
  for (const trigram of b) if (a.has(trigram)) shared++;
  return b.length === 0 ? 0 : Math.min(1, (2 * shared) / (a.size + b.length));
}

import { counted } from '../format.ts';

const WIDTH = 84;
const HEIGHT = 20;

/** A line of counts a day, oldest first. Its text alternative says first, last and highest count. */
export function SparkLine({ counts, noun }: { counts: readonly number[]; noun: string }) {
  const highest = Math.max(...counts, 1);
  const step = (WIDTH - 2) / Math.max(1, counts.length - 1);
  const points = counts.map(
    (count, at) => `${1 + at * step},${(HEIGHT - 1.5 - (count / highest) * (HEIGHT - 3)).toFixed(1)}`,
  );
  const label = `${counted(counts.at(-1) ?? 0, noun)} today, at most ${Math.max(...counts, 0)} on a day`;
  return (
    <svg class="spark-line" width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
    </svg>
  );
}

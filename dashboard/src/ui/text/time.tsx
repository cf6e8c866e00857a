import { ago, fullTime } from '../../format.ts';

/** A relative time; the exact time is in the tooltip and the markup. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at)}
    </time>
  );
}

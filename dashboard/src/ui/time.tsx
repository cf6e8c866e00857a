import { ago, fullTime } from '../format.ts';

/** How long ago, with the exact time on demand and for machines. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at)}
    </time>
  );
}

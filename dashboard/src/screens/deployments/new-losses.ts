import type { GateFailure, UrlCheck } from '../../api/client/wire.ts';

/**
 * The lost URLs and hidden pages that only `next` has, except pages that a rule for exactly their URL hides: the gate
 * allows these. A check lists its first 1,000 of each, the heaviest first; `isComplete`: there are no others.
 */
export function newLosses(live: UrlCheck, next: UrlCheck): { failures: GateFailure[]; isComplete: boolean } {
  const lost = onlyIn(next.lost, live.lost, live.check.lost);
  const hidden = onlyIn(next.shadowed, live.shadowed, live.check.shadowed).filter(({ kind }) => kind !== 'literal');
  return {
    failures: [
      ...lost.map((each): GateFailure => ({ kind: 'url_lost', ...each })),
      ...hidden.map(({ url, kind }): GateFailure => ({ kind: 'url_shadowed', url, shadowed_by: kind })),
    ],
    isComplete: [live, next].every(
      ({ check, lost: listed, shadowed }) => listed.length >= check.lost && shadowed.length >= check.shadowed,
    ),
  };
}

/** Rows that are lighter than all known ones are left out if there are more: they may be among those. */
function onlyIn<Row extends { url: string; weight: number }>(rows: Row[], known: Row[], total: number): Row[] {
  const urls = new Set(known.map(({ url }) => url));
  const lightest = known.length < total ? (known.at(-1)?.weight ?? Infinity) : -Infinity;
  return rows.filter(({ url, weight }) => !urls.has(url) && weight > lightest);
}

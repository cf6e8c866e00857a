/** Compares two checks of URLs. Each lists only its first 1,000 lost and hidden ones, the heaviest first. */
import type { UrlCheck } from '../../api/client/wire.ts';

export interface NewLosses {
  urls: string[];
  /** false if there may be more, because a check found more than it lists */
  isComplete: boolean;
}

/** URLs that are lost in `next`, and not in `live`. Those that are lighter than all that `live` lists are unknown. */
export function newlyLost(live: UrlCheck, next: UrlCheck): NewLosses {
  const known = new Set(live.lost.map(({ url }) => url));
  const isWhole = live.lost.length >= live.check.lost;
  const lightest = isWhole ? -Infinity : (live.lost.at(-1)?.weight ?? Infinity);
  const urls = next.lost.filter(({ url, weight }) => !known.has(url) && weight > lightest).map(({ url }) => url);
  return { urls, isComplete: isWhole && next.lost.length >= next.check.lost };
}

/** Living pages that only `next` hides, by another rule than one for exactly that URL, which the gate allows. */
export function newlyHidden(live: UrlCheck, next: UrlCheck): NewLosses {
  const known = new Set(live.shadowed.map(({ url }) => url));
  const isWhole = live.shadowed.length >= live.check.shadowed;
  const found = next.shadowed.filter(({ url, kind }) => kind !== 'literal' && !known.has(url)).map(({ url }) => url);
  // Shadowed URLs have no weight, so one that `live` does not list may be among those that follow.
  return { urls: isWhole ? found : [], isComplete: isWhole && next.shadowed.length >= next.check.shadowed };
}

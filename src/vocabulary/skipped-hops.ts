/** The rule for shortening a chain: flattening, the editor and the tester apply it. */

const TEMPORARY = new Set([302, 303, 307]);
const KEEPS_METHOD = new Set([307, 308]);

/** Why a redirect with the status `first` may not skip a later redirect of its chain; undefined if it may. */
export function skipProblem(
  first: number,
  later: { statusCode: number; isScheduled: boolean },
): 'SCHEDULED' | 'TEMPORARY' | 'METHOD' | undefined {
  if (later.isScheduled) return 'SCHEDULED';
  if (TEMPORARY.has(later.statusCode)) return 'TEMPORARY';
  return KEEPS_METHOD.has(first) && !KEEPS_METHOD.has(later.statusCode) ? 'METHOD' : undefined;
}

/** The last target, with the origin and the fragment that a browser has from earlier ones. */
export function joinTargets(targets: readonly string[]): string {
  let last = '';
  let origin = '';
  let fragment = '';
  for (const target of targets) {
    const [ownOrigin] = /^https?:\/\/[^/?#\\]*/i.exec(target) ?? [];
    origin = ownOrigin ?? origin;
    last = ownOrigin === undefined ? origin + target : target;
    const hash = target.indexOf('#');
    if (hash >= 0) fragment = target.slice(hash);
  }
  return last.includes('#') ? last : last + fragment;
}

import type { LiveSite } from '../versions/rulesets.ts';

/**
 * Tells of paths that were missed which of them the live rules answer by now, as they would answer a visitor who brings no query.
 * Of none where the website takes a query for another address, since the path was kept without it, nor of one that was cut.
 */
export function servedPaths({ site, environment, rules }: LiveSite): (path: string) => boolean {
  if (site.query === 'exact') return () => false;
  const host = site.hosts.find((each) => each.environment === environment)?.hostname;
  const at = host === undefined ? { query: null } : { query: null, host };
  return (path) => !path.endsWith('…') && rules.ruleset.match({ ...at, path }, site) !== undefined;
}

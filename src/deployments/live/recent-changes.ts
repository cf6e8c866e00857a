/**
 * What this process learned last. A database that goes back in time loses its newest changes first, so each poll compares
 * these with it: also if no connection was lost, and no change of the database is recent.
 */
import type { Environment } from '../../vocabulary/environment.ts';
import type { VersionId } from './database/history.ts';
import type { LiveRegistry } from './live-registry.ts';

export interface RecentList {
  /** `at`: when the hosts or options changed */
  sites: { id: number; at: string }[];
  rules: (VersionId & { id: number; environment: Environment })[];
}

/** Websites, and live versions. Commits of different websites have no order, so the last one alone is not enough. */
const MAX_CHANGES = 100;

export type RecentChanges = ReturnType<typeof createRecentChanges>;

export function createRecentChanges(registry: Pick<LiveRegistry, 'live' | 'rules'>) {
  const sites = new Map<number, { id: number; at: string }>();
  const rules = new Map<string, { id: number; environment: Environment }>();
  const exists = ({ id }: { id: number }): boolean => registry.live(id, 'production') !== undefined;
  return {
    addSite: (id: number, at: string) => setLast(sites, id, { id, at }),
    addRules: (id: number, environment: Environment) => setLast(rules, `${id} ${environment}`, { id, environment }),
    /** The websites and live versions of this process, without those that it has removed. */
    list: () => ({
      sites: [...sites.values()].filter(exists),
      rules: [...rules.values()].filter(exists).map(({ id, environment }) => {
        const { version, history } = registry.rules(id, environment);
        return { id, environment, version, history };
      }),
    }),
  };
}

function setLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_CHANGES && oldest !== undefined) map.delete(oldest);
}

/** Serves the snapshots of DATA_DIR/rulesets at the start, without a database. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrorCode } from '../../../platform/log/error-summary.ts';
import { createSemaphore } from '../../../platform/scheduling/semaphore.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import type { LiveRegistry } from '../live-registry.ts';
import type { Site } from '../site-registry.ts';
import {
  isRulesFile,
  readRulesFile,
  readSitesFile,
  rulesFile,
  SITES_FILE,
  type SnapshotVersion,
} from './snapshot-files.ts';

/** The content of a registry that comes from files. deployments/live/rulesets.ts compares it with the database. */
export interface LoadedSnapshots {
  /** undefined if there was no usable file */
  databaseId: string | undefined;
  versions: SnapshotVersion[];
}

/** Files that are read at a time. */
const CONCURRENCY = 4;

/**
 * Puts the websites and live rules of the folder into `registry`. Ignores a file that is damaged or does not belong to
 * the same database, and passes the reason to `onProblem`.
 */
export async function loadSnapshots(
  dir: string,
  registry: LiveRegistry,
  onProblem: (error: Error) => void,
): Promise<LoadedSnapshots> {
  const versions: SnapshotVersion[] = [];
  const report = (name: string, cause: unknown): void => {
    onProblem(new Error(`ignored the snapshot ${join(dir, name)}`, { cause }));
  };
  const names = await readNames(dir, onProblem);
  if (!names.includes(SITES_FILE)) return { databaseId: undefined, versions };
  const found = await readSitesFile(dir).catch((error: unknown) => report(SITES_FILE, error));
  if (!found) return { databaseId: undefined, versions };

  const websites = new Set(found.sites.map(({ site }) => site.id));
  const withPermit = createSemaphore(CONCURRENCY);
  const load = async (name: string): Promise<void> => {
    try {
      const { version, ruleset } = await readRulesFile(join(dir, name));
      const { databaseId, websiteId, environment, ...pointer } = version;
      if (databaseId !== found.databaseId) throw new Error('it belongs to another database');
      if (name !== rulesFile(websiteId, environment)) throw new Error('its name is not that of its website');
      if (!websites.has(websiteId)) return; // the website was deleted
      // Patches of rules without a checksum, of an earlier release, would have none either.
      const history = ruleset.checksum === undefined ? '' : version.history;
      registry.setRules(websiteId, environment, { ...pointer, history, ruleset });
      versions.push(version);
    } catch (error) {
      report(name, error);
    }
  };
  await Promise.all(names.filter(isRulesFile).map((name) => withPermit(() => load(name))));
  registry.setElsewhere('all', found.elsewhere);
  for (const { site, live } of found.sites) registry.setSite(withLoadedHosts(site, live, registry));
  return { databaseId: found.databaseId, versions };
}

/** Without the hosts of an environment whose rules could not be read: a 503 is better than a wrong 404. */
function withLoadedHosts(site: Site, live: Environment[], registry: LiveRegistry): Site {
  const missing = live.filter((environment) => registry.rules(site.id, environment).version === 0);
  return { ...site, hosts: site.hosts.filter(({ environment }) => !missing.includes(environment)) };
}

async function readNames(dir: string, onProblem: (error: Error) => void): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (cause) {
    if (!isErrorCode(cause, 'ENOENT')) onProblem(new Error(`cannot read the snapshots in ${dir}`, { cause }));
    return [];
  }
}

/** The folder of snapshots, which several processes may share. */
import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, withClient } from '../../../db/connection/client.ts';
import { readDatabaseId } from '../../../db/settings.ts';
import { DRAFT_SUFFIX, isAbandonedDraft } from '../../../platform/block-file.ts';
import type { Clock } from '../../../platform/clock.ts';
import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import { type Environment, ENVIRONMENTS } from '../../../vocabulary/environment.ts';
import { isSameVersion, versionState } from '../database/history.ts';
import type { LiveRegistry, LiveRules } from '../live-registry.ts';
import {
  isRulesFile,
  readRulesVersion,
  rulesFile,
  type SnapshotSite,
  type SnapshotVersion,
  writeRulesFile,
  writeSitesFile,
} from './snapshot-files.ts';

export interface SnapshotFolderOptions {
  db: Db;
  /** created if it does not exist */
  dir: string;
  registry: LiveRegistry;
  clock: Clock;
  /** Bytes of all files. Above it, rules get no file, and their start reads them from the database. */
  maxBytes?: number;
}

const MAX_BYTES = 8 * 2 ** 30;
/** Another process may know a website before this one does. */
const MIN_PURGE_AGE_MS = 60_000;

export function createSnapshotFolder(options: SnapshotFolderOptions) {
  const { db, dir, registry, clock, maxBytes = MAX_BYTES } = options;
  const sizes = new Map<string, number>();
  let opened: Promise<string> | undefined;

  /** Returns the id of the database. */
  function open(): Promise<string> {
    opened ??= openFolder(dir, sizes)
      .then(() => readDatabaseId(db))
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    return opened;
  }

  function assertSpace(name: string, bytes: number): void {
    let total = bytes;
    for (const [other, size] of sizes) if (other !== name) total += size;
    if (total > maxBytes) throw new Error(`${dir} would exceed ${maxBytes} bytes: not writing ${name}`);
  }

  return {
    /** Writes the live rules of an environment. False if they must be written later. */
    async writeRules(websiteId: number, environment: Environment) {
      const databaseId = await open();
      const rules = registry.rules(websiteId, environment);
      if (rules.version === 0) return true;
      const { ruleset, ...pointer } = rules;
      const version = { ...pointerOf(pointer), databaseId, websiteId, environment };
      // Not committed yet, or the website was deleted.
      if (await isLost(db, version)) return !registry.live(websiteId, environment);
      const name = rulesFile(websiteId, environment);
      if (await hasNewer(db, join(dir, name), version)) return true;
      assertSpace(name, ruleset.bytes);
      const isWritten = await writeRulesFile(dir, version, ruleset, clock.now());
      if (isWritten) sizes.set(name, ruleset.bytes);
      return isWritten;
    },
    /** Writes all websites, and removes the files of others. False if they must be written later. */
    async writeSites() {
      const databaseId = await open();
      const isWritten = await writeSitesFile(
        dir,
        { databaseId, sites: snapshotSites(registry), elsewhere: registry.elsewhere() },
        clock.now(),
      );
      if (isWritten) await purge(options, sizes);
      return isWritten;
    },
  };
}

/** Without fields that another process of a newer version may have added. */
function pointerOf({ version, history, rulesEnv, rulesRev, rulesMaxId, targetHosts }: Omit<LiveRules, 'ruleset'>) {
  return { version, history, rulesEnv, rulesRev, rulesMaxId, targetHosts };
}

async function openFolder(dir: string, sizes: Map<string, number>): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  for (const name of await readdir(dir)) {
    if (isRulesFile(name)) sizes.set(name, await sizeOf(join(dir, name)));
  }
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

/** True if the file has this version or a newer one of the same database, which another process wrote. */
async function hasNewer(db: Db, file: string, version: SnapshotVersion): Promise<boolean> {
  const existing = await readRulesVersion(file).catch(() => undefined);
  if (existing?.databaseId !== version.databaseId || existing.version < version.version) return false;
  return isSameVersion(existing, version) || !(await isLost(db, existing));
}

async function isLost(db: Db, version: SnapshotVersion): Promise<boolean> {
  return (await withClient(db, (client) => versionState(client, version, version))) === 'lost';
}

function snapshotSites(registry: LiveRegistry): SnapshotSite[] {
  return registry.websiteIds().flatMap((id) => {
    const site = registry.live(id, 'production')?.site;
    const live = ENVIRONMENTS.filter((environment) => registry.rules(id, environment).version > 0);
    return site ? [{ site, live }] : [];
  });
}

/** Removes files of unknown websites, and drafts of crashed processes. */
async function purge({ dir, registry, clock }: SnapshotFolderOptions, sizes: Map<string, number>): Promise<void> {
  const known = new Set(registry.websiteIds().flatMap((id) => ENVIRONMENTS.map((each) => rulesFile(id, each))));
  const slice = createTimeSlice();
  for (const name of await readdir(dir)) {
    if (slice.isOver()) await slice.yield();
    const file = join(dir, name);
    if (name.endsWith(DRAFT_SUFFIX)) {
      if (await isAbandonedDraft(file, clock.now())) await rm(file, { force: true });
    } else if (isRulesFile(name) && !known.has(name)) {
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
      if (clock.now().getTime() - mtimeMs < MIN_PURGE_AGE_MS) continue;
      await rm(file, { force: true });
      sizes.delete(name);
    }
  }
}

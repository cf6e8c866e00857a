/**
 * Builds the dashboard into dist/dashboard if its sources have changed. `npm start` runs it first. If the build fails, it
 * prints the reason and the service starts without a dashboard.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, readIfThere, ROOT } from './fingerprint.ts';

const DIST = join(ROOT, 'dist');
const OUT = join(DIST, 'dashboard');
const SOURCES = ['dashboard/**/*', 'src/vocabulary/*.ts', 'scripts/build-dashboard.ts', 'package-lock.json'];

const MAX_TRIES = 20;

const stamp = fingerprint(SOURCES);
if (!isBuilt()) {
  try {
    await buildDashboard();
  } catch (error) {
    const outcome = readIfThere(join(OUT, '.stamp')) === undefined ? 'it is not served' : 'an older one is served';
    console.error(`detour: the dashboard was not built, so ${outcome}: ${reasonOf(error)}`);
  }
}

/** Writes next to the target and renames, so that a reader finds the old build or the new one, never a part. */
async function buildDashboard(): Promise<void> {
  const began = performance.now();
  mkdirSync(DIST, { recursive: true });
  const made = mkdtempSync(join(DIST, 'building-'));
  try {
    const { build } = await import('vite');
    const { dashboardBuild } = await import('../dashboard/vite.config.ts');
    await build({ ...dashboardBuild(made), logLevel: 'error' });
    writeFileSync(join(made, '.stamp'), stamp);
    chmodSync(made, 0o755);
    if (!putInPlace(made)) return;
    console.log(`dashboard built in ${Math.round(performance.now() - began)} ms`);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/**
 * Renames an older build before it removes it: readers must not find a part of it. Returns false if another process has
 * built it first. It may do so between our steps, so each try checks again.
 */
function putInPlace(made: string): boolean {
  for (let tries = 1; !isBuilt(); tries++) {
    const older = `${made}.older-${tries}`;
    try {
      if (existsSync(OUT)) renameSync(OUT, older);
      renameSync(made, OUT);
      return true;
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
    } finally {
      rmSync(older, { recursive: true, force: true });
    }
  }
  return false;
}

function isBuilt(): boolean {
  return readIfThere(join(OUT, '.stamp')) === stamp;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return `${DIST} cannot be written (${code}). Run node scripts/build-dashboard.ts as a user who can write it`;
  }
  return error instanceof Error ? error.message : String(error);
}

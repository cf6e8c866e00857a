/**
 * Builds the dashboard into dist/dashboard where its sources changed since the last time: `npm start` runs it first. By content and not
 * by time, since a fresh clone has new times everywhere. A service without a dashboard is better than no service: what keeps it from
 * being built is said, and the start goes on.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist', 'dashboard');
const STAMP = join(OUT, '.stamp');
const SOURCES = ['dashboard/**/*', 'src/vocabulary/*.ts', 'scripts/build-dashboard.ts', 'package-lock.json'];

const stamp = fingerprint();
if (readIfThere(STAMP) !== stamp) {
  try {
    await buildDashboard(OUT);
    writeFileSync(STAMP, stamp);
  } catch (error) {
    console.error(`detour: the dashboard was not built, so it is not served: ${reasonOf(error)}`);
  }
}

async function buildDashboard(outDir: string): Promise<void> {
  const began = performance.now();
  const { build } = await import('vite');
  await build({ ...(await import('../dashboard/vite.config.ts')).dashboardBuild(outDir), logLevel: 'error' });
  console.log(`dashboard built in ${Math.round(performance.now() - began)} ms`);
}

function fingerprint(): string {
  const hash = createHash('sha256').update(process.version);
  const files = globSync(SOURCES, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.toSorted()) {
    hash.update(`${relative(ROOT, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return `${OUT} cannot be written (${code}). Build it where it can be, with: node scripts/build-dashboard.ts`;
  }
  return error instanceof Error ? error.message : String(error);
}

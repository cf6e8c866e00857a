import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { createStaticFile, type StaticFile } from '../../http/static-file.ts';

export interface BuiltDashboard {
  /** index.html, with its placeholder replaced */
  page: StaticFile;
  /** by file name, which contains a hash of the content */
  assets: ReadonlyMap<string, StaticFile>;
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const PLACEHOLDER = '<meta name="detour" content="{}" />';

/**
 * Reads the built dashboard, some hundred kilobytes, into memory: a running process keeps serving the assets of its page while a new
 * build replaces the folder. Undefined if the dashboard is not built.
 */
export async function readBuiltDashboard(
  dir: string,
  installation: object,
): Promise<BuiltDashboard | undefined> {
  const html = await readFile(join(dir, 'index.html'), 'utf8').catch(() => undefined);
  if (html === undefined) return undefined;
  const content = JSON.stringify(installation).replaceAll('"', '&quot;');
  const page = html.replace(PLACEHOLDER, `<meta name="detour" content="${content}" />`);
  const assets = new Map<string, StaticFile>();
  for (const name of await readdir(join(dir, 'assets'))) {
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    assets.set(name, await createStaticFile(type, await readFile(join(dir, 'assets', name))));
  }
  return { page: await createStaticFile('text/html; charset=utf-8', page), assets };
}

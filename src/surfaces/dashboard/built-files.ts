import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { etagOf, type FileAnswer } from '../../http/static-file.ts';

export interface BuiltDashboard {
  /** the page with its placeholder filled */
  page: FileAnswer;
  /** by name, without folder; the names carry a hash of the content */
  assets: ReadonlyMap<string, FileAnswer>;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const PLACEHOLDER = '<meta name="detour" content="{}" />';

/**
 * The built dashboard, read once: it is some hundred kilobytes, and a process that runs on while the folder is built anew for the next
 * one still has the files that its page names. Undefined where it was not built.
 */
export function readBuiltDashboard(dir: string, installation: object): BuiltDashboard | undefined {
  const html = readIfThere(join(dir, 'index.html'));
  if (html === undefined) return undefined;
  const content = JSON.stringify(installation).replaceAll('"', '&quot;');
  const page = html.toString().replace(PLACEHOLDER, `<meta name="detour" content="${content}" />`);
  const names = readdirSync(join(dir, 'assets'));
  const assets = names.map((name): [string, FileAnswer] => [
    name,
    asSent(name, readFileSync(join(dir, 'assets', name))),
  ]);
  return { page: asSent('index.html', Buffer.from(page)), assets: new Map(assets) };
}

function asSent(name: string, body: Buffer): FileAnswer {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  const gzipped = gzipSync(body, { level: 9 });
  return {
    type,
    etag: etagOf(body),
    body,
    gzipped: gzipped.length < body.length ? gzipped : null,
  };
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { CommandError } from '../../errors.ts';

const MAX_SITEMAPS = 50_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The addresses of a downloaded sitemap index. Undefined for every other file, which is a list that the service reads.
 * Throws a CommandError if the index is incomplete, or names a sitemap of another origin.
 */
export async function readChildSitemaps(path: string, from: URL): Promise<URL[] | undefined> {
  const text = await unpacked(path, from);
  const open: string[] = [];
  const urls: URL[] = [];
  let [root, isClosed, address] = ['', false, ''];
  const parser = new Parser(
    {
      onopentagname(name) {
        root ||= name;
        open.push(name);
        address = '';
      },
      ontext(part) {
        if (open.at(-1) === 'loc') address += part;
      },
      onclosetag(_name, isImplied) {
        // The parser also closes what is open at the end of a file that is cut.
        if (!isImplied && open.length === 1) isClosed = true;
        if (open.join() === 'sitemapindex,sitemap,loc') urls.push(childUrl(address.trim(), from));
        open.pop();
      },
    },
    { xmlMode: true },
  );
  if (!/<sitemapindex[\s>]/.test(text.slice(0, 4096))) return undefined;
  parser.end(text);
  if (root !== 'sitemapindex') return undefined;
  const wrong =
    (!isClosed && 'ends before its end tag') ||
    (urls.length === 0 && 'names no sitemap') ||
    (urls.length > MAX_SITEMAPS && `names more than ${MAX_SITEMAPS.toLocaleString('en')} sitemaps`);
  if (wrong) throw new CommandError(`${from.href} ${wrong}; nothing was changed`);
  return urls;
}

/** Throws a CommandError for another origin: its owner may not be that of the website. */
function childUrl(address: string, from: URL): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.origin === from.origin) return url;
  const reason = `names "${address}", which is not on ${from.origin}: push that sitemap to a separate list`;
  throw new CommandError(`${from.href} ${reason}; nothing was changed`);
}

async function unpacked(path: string, from: URL): Promise<string> {
  const bytes = await readFile(path);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString();
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${from.href} cannot be unpacked: ${reason}; nothing was changed`);
  }
}

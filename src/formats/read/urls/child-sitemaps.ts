import { encodingOf, toUtf8Chunks } from '../../rows/encoding.ts';
import { decodeReferences, createXmlReader } from './xml-reader.ts';
import { unpackedChunks, unpackedStart } from './unpack.ts';

const START_BYTES = 64 * 1024;
const MAX_ADDRESS = 32 * 1024;

/** The addresses of a stored sitemap index, as written; undefined for any other file. Throws as `readUrlList`. */
export async function readSitemapIndex(path: string, maxBytes: number): Promise<string[] | undefined> {
  const { start } = await unpackedStart(path, maxBytes, START_BYTES);
  const encoding = encodingOf(start);
  const found: string[] = [];
  let prefix: string | undefined;
  let text: string | undefined;
  const reader = createXmlReader({
    open(name, depth) {
      if (depth === 1 && /^([^:]*:)?sitemapindex$/.test(name)) prefix = name.slice(0, -'sitemapindex'.length);
      text = depth === 3 && prefix !== undefined && name === `${prefix}loc` ? '' : undefined;
    },
    text(part) {
      if (text !== undefined && text.length < MAX_ADDRESS) text += part;
    },
    close(_name, depth) {
      const address = depth === 3 && text !== undefined ? decodeReferences(text)?.trim() : undefined;
      if (address) found.push(address);
      text = undefined;
    },
  });
  let isFirst = true;
  for await (const chunk of toUtf8Chunks(unpackedChunks(path, maxBytes), encoding)) {
    if (isFirst && !chunk.toString('utf8').trimStart().startsWith('<')) return undefined;
    isFirst = false;
    reader.write(chunk);
    if (found.length === 0 && prefix === undefined && chunk.length > START_BYTES) return undefined;
  }
  reader.end();
  return prefix === undefined ? undefined : found;
}

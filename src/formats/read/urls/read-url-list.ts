import { DomainError, invalid } from '../../../vocabulary/error.ts';
import { encodingOf, toUtf8Chunks } from '../../rows/encoding.ts';
import { assertNoArchive, recognizeList } from './recognize.ts';
import { readSitemap } from './sitemap.ts';
import { unpackedChunks, unpackedStart } from './unpack.ts';
import type { UrlBatch } from './url-row.ts';

const START_BYTES = 64 * 1024;
const MAX_BYTES = 2 * 1024 ** 3;

/**
 * Yields the URLs of a stored body in batches, in constant memory. Its content decides how it is read: a sitemap, a
 * plain list, JSON, NDJSON or CSV, each also as gzip. Throws EMPTY_BODY for zero bytes, BODY_TOO_LARGE above `maxBytes`
 * (2 GiB) of unpacked bytes, and an error for a body that is broken as a whole, even after batches of it.
 */
export async function* readUrlList(path: string, { maxBytes = MAX_BYTES } = {}): AsyncGenerator<UrlBatch> {
  const { start, isWhole } = await unpackedStart(path, maxBytes, START_BYTES);
  if (start.length === 0) {
    const details =
      'body: has zero bytes, so nothing was applied; check what the list was made from, then send it again';
    throw new DomainError('EMPTY_BODY', 'The body is empty', { details });
  }
  assertNoArchive(start);
  const encoding = encodingOf(start);
  const read = recognizeList(new TextDecoder(encoding.name).decode(start), isWhole);
  for await (const batch of read(toUtf8Chunks(unpackedChunks(path, maxBytes), encoding)))
    if (batch.rows.length + batch.invalid.length > 0) yield batch;
}

/** The addresses of a stored sitemap index, as written. Throws as `readUrlList`, and for an entry without an address. */
export async function readSitemapIndex(path: string, maxBytes: number): Promise<string[]> {
  const { start } = await unpackedStart(path, maxBytes, START_BYTES);
  const encoding = encodingOf(start);
  const chunks = toUtf8Chunks(unpackedChunks(path, maxBytes), encoding);
  const urls: string[] = [];
  for await (const batch of readSitemap(chunks, new TextDecoder(encoding.name).decode(start), 'sitemapindex')) {
    const [wrong] = batch.invalid;
    if (wrong)
      throw invalid('body', `line ${wrong.line}: the index has an entry without a valid address`, 'INVALID_XML');
    urls.push(...batch.rows.map(({ url }) => url));
  }
  return urls;
}

import { DomainError } from '../../../vocabulary/error.ts';
import { encodingOf, toUtf8Chunks } from '../../rows/encoding.ts';
import { readCsvList } from './csv-list.ts';
import { readJsonList, readNdjsonList } from './json-list.ts';
import { assertNoArchive, type ListForm, recognizeList } from './recognize.ts';
import { readSitemap } from './sitemap.ts';
import { readTextList } from './text-list.ts';
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
  if (start.length === 0) throw emptyBody();
  assertNoArchive(start);
  const encoding = encodingOf(start);
  const parts = await Array.fromAsync(toUtf8Chunks(once(start), encoding));
  const text = Buffer.concat(parts).toString('utf8');
  const chunks = toUtf8Chunks(unpackedChunks(path, maxBytes), encoding);
  for await (const batch of readForm(recognizeList(text, isWhole), chunks, text))
    if (batch.rows.length + batch.invalid.length > 0) yield batch;
}

function readForm(form: ListForm, chunks: AsyncGenerator<Buffer>, start: string): AsyncGenerator<UrlBatch> {
  switch (form.kind) {
    case 'sitemap':
      return readSitemap(chunks, start);
    case 'json':
      return readJsonList(chunks);
    case 'ndjson':
      return readNdjsonList(chunks);
    case 'csv':
      return readCsvList(chunks, form);
    case 'text':
      return readTextList(chunks);
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function emptyBody(): DomainError {
  const details = 'body: has zero bytes, so nothing was applied; check what the list was made from, then send it again';
  return new DomainError('EMPTY_BODY', 'The body is empty', { details });
}

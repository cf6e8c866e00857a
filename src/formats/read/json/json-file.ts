/** Reads a file of redirects as JSON: an export, the body of a bulk call, a list alone, or one entry a line. */
import { DomainError, invalid } from '../../../vocabulary/error.ts';
import { utf8Chunks } from '../../rows/encoding.ts';
import { physicalLines, type TextFile } from '../servers/physical-lines.ts';
import { createByteSource } from './byte-source.ts';
import { readJsonFile } from './json-body.ts';

export type JsonFormat = 'json' | 'ndjson';

/**
 * An entry of a file, or a line that is not JSON. `line` is the physical line of NDJSON. A JSON file may be one line, so
 * there it is the number of the entry, from 1.
 */
export type FileEntry = { line: number; value: unknown } | { line: number; text: string; problem: string };

/** Returns the format, `other` for JSON that has no redirects of this service, and undefined for any other file. */
export async function recognizeJson({ path, encoding }: TextFile): Promise<JsonFormat | 'other' | undefined> {
  for await (const chunk of utf8Chunks(path, encoding)) return formatOf(chunk.toString('utf8').trimStart());
  return undefined;
}

/** Quotes inside strings are escaped, so a match is the name of a field. The entries begin within the first chunk. */
function formatOf(start: string): JsonFormat | 'other' | undefined {
  if (!/^(?:\{\s*["}]|\[\s*[[{\]"])/.test(start)) return undefined;
  const has = (name: string): boolean => new RegExp(`"${name}"\\s*:`).test(start);
  if (has('export_id')) return 'json';
  if (start.startsWith('[')) return has('old_path') ? 'json' : 'other';
  if (has('redirects')) return has('old_path') || has('website_id') ? 'json' : 'other';
  return has('old_path') ? 'ndjson' : 'other';
}

/** Fields that an export has besides its redirects; an import ignores them. */
export const EXPORT_FIELDS = 'export_id website filters environment version total_count exported_at'.split(' ');

export interface JsonFile extends TextFile {
  format: JsonFormat;
}

/** Receives the fields of a file besides its entries. `assertKnown` throws before the value is read. */
export interface FileFields {
  assertKnown(field: string): void;
  take(field: string, value: unknown): void;
}

/** Yields the entries in batches. Throws VALIDATION_ERROR if a JSON file is broken or has no list of redirects. */
export async function* readJsonEntries(
  file: JsonFile,
  fields: FileFields,
  onRead?: (bytes: number) => void,
): AsyncGenerator<FileEntry[]> {
  if (file.format === 'ndjson') return yield* readLines(file, onRead);
  let line = 0;
  let hasList = false;
  const chunks = copies(file, onRead);
  try {
    for await (const part of readJsonFile(createByteSource(chunks), fields.assertKnown)) {
      if ('field' in part) {
        fields.take(part.field, part.value);
        continue;
      }
      hasList = true;
      yield part.entries.map((value) => ({ line: ++line, value }));
    }
  } catch (error) {
    throw error instanceof DomainError ? ofFile(error) : error;
  } finally {
    // The byte source does not close what it reads.
    await chunks.return(undefined);
  }
  if (!hasList) throw invalid('file', 'the JSON has no list of redirects; name it redirects');
}

const NOT_JSON = 'the line is not JSON; write one redirect as {"old_path": ..., "new_path": ...}';

async function* readLines(file: TextFile, onRead?: (bytes: number) => void): AsyncGenerator<FileEntry[]> {
  for await (const lines of physicalLines(file, onRead)) {
    yield lines.flatMap(({ line, text, problem }): FileEntry[] => {
      if (problem !== undefined) return [{ line, text, problem }];
      if (text.trim() === '') return [];
      try {
        return [{ line, value: JSON.parse(text) }];
      } catch {
        return [{ line, text, problem: NOT_JSON }];
      }
    });
  }
}

/** The reader of JSON holds its bytes until they are consumed, and utf8Chunks writes over them. */
async function* copies({ path, encoding }: TextFile, onRead?: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of utf8Chunks(path, encoding, onRead)) yield Buffer.from(chunk);
}

const OF_BODY: readonly string[] = ['INVALID_JSON', 'BODY_TOO_LARGE', 'DUPLICATE_FIELD'];

/** Names the file instead of the body. */
function ofFile(error: DomainError): DomainError {
  if (!OF_BODY.includes(error.code)) return error;
  const reason = error.details.replace(/^body: /, '').replace(/; nothing was applied$/, '');
  return invalid('file', `the JSON cannot be read: ${reason}`);
}

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../vocabulary/error.ts';
import type { IncomingMessage } from 'node:http';

/** The largest file that an upload may carry. */
export const MAX_FILE_BYTES = 2 * 1024 ** 3;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 50;

/** What a form brought: its text fields, and the file on disk. */
export interface Upload {
  fields: Map<string, string>;
  path: string | undefined;
}

/**
 * Reads a multipart form whose options may come after the file: the first file part is written to disk as it arrives, never held in
 * memory, and `work` is called when everything is there. The file is gone when `work` is done.
 */
export async function withUpload<T>(
  request: FastifyRequest,
  work: (upload: Upload) => Promise<T>,
): Promise<T> {
  if (!request.isMultipart()) {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The content type is not supported', {
      details:
        'Content-Type: send multipart/form-data with the file as one part (curl -F file=@redirects.csv)',
    });
  }
  const folder = await mkdtemp(join(tmpdir(), 'detour-upload-'));
  try {
    return await work(await readParts(request, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readParts(request: FastifyRequest, folder: string): Promise<Upload> {
  const fields = new Map<string, string>();
  let path: string | undefined;
  const limits = { fileSize: MAX_FILE_BYTES, fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS };
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') addField(fields, part);
      else if (path === undefined) {
        path = join(folder, 'file');
        await store(part, path);
      } else part.file.resume();
    }
  } catch (error) {
    throw formError(error);
  }
  return { fields, path };
}

function addField(fields: Map<string, string>, { fieldname, value, valueTruncated }: MultipartValue): void {
  if (valueTruncated) throw tooLarge(`${fieldname}: a form field may have 64 KiB`);
  if (fields.has(fieldname)) {
    throw new DomainError('INVALID_PARAMETER', 'A form field stands twice', {
      details: `${fieldname}: send it once`,
    });
  }
  // A part that says it is JSON comes parsed.
  fields.set(fieldname, typeof value === 'string' ? value : JSON.stringify(value));
}

async function store(part: MultipartFile, path: string): Promise<void> {
  const source: Readable & { truncated?: boolean } = part.file;
  await pipeline(source, createWriteStream(path, { mode: 0o600 }));
  // Past the limit the parser ends the file as if it were whole.
  if (source.truncated) throw tooLarge('file: at most 2 GiB; split it');
}

function tooLarge(details: string): DomainError {
  return new DomainError('BODY_TOO_LARGE', 'The body is too large', { details });
}

/** What the parser refuses in our words: a form that cannot be read is the client's, a disk that is full is ours. */
function formError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DomainError || 'syscall' in error) return error;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT') {
    return tooLarge(`form: at most ${MAX_FIELDS} fields`);
  }
  if (code === 'FST_PROTO_VIOLATION') {
    return new DomainError('UNKNOWN_FIELD', 'A form field is not known', {
      details: 'form: a field has the name of a property that every object has; remove it',
    });
  }
  return new DomainError('INVALID_PARAMETER', 'The form cannot be read', {
    details: `body: must be multipart/form-data that ends as its boundary says (${error.message})`,
  });
}

/** In each such time a body must bring this much, or end: whoever sends less would hold an import's place for hours. */
const WINDOW_MS = 30_000;
const LEAST_BYTES = 16 * 1024;

/**
 * The pieces of a request's body as they come. One that all but stops (16 KiB in 30 s) is cut off, and reading it throws; the time that
 * the reader takes for a piece does not count. Leaving off early leaves the request alive, so that an answer can still be sent.
 */
export async function* readAtMinRate(request: IncomingMessage, windowMs = WINDOW_MS): AsyncGenerator<Buffer> {
  const cut = (): void => void request.destroy(new Error('the client stopped sending'));
  let bytes = 0;
  let left = windowMs;
  const pieces = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const began = performance.now();
      const timer = setTimeout(cut, left);
      const piece = await pieces.next().finally(() => clearTimeout(timer));
      if (piece.done) return;
      // A request is read as Buffers: nobody gives it an encoding.
      const chunk = piece.value as Buffer;
      bytes += chunk.length;
      left = Math.max(left - (performance.now() - began), 1);
      if (bytes >= LEAST_BYTES) [bytes, left] = [0, windowMs];
      yield chunk;
    }
  } finally {
    await pieces.return?.(undefined);
  }
}

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { DomainError, wrongParameter } from '../vocabulary/error.ts';

/** The largest file of an upload. */
const MAX_FILE_BYTES = 2 * 1024 ** 3;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 50;

/** The text fields of a form, and the path of its file on disk. */
export interface Upload {
  fields: Map<string, string>;
  path: string | undefined;
}

/**
 * Writes the first file of a multipart form to disk as it arrives, because options may follow it; then calls `work`.
 * Deletes the file when `work` is done.
 */
export async function withUpload<T>(request: FastifyRequest, work: (upload: Upload) => Promise<T>): Promise<T> {
  if (!request.isMultipart()) {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The content type is not supported', {
      details: 'Content-Type: send multipart/form-data with the file as one part (curl -F file=@redirects.csv)',
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
  if (valueTruncated) throw tooLarge(`${fieldname}: a form field may have at most 64 KiB`);
  if (fields.has(fieldname)) {
    throw wrongParameter(fieldname, 'is a duplicate form field; send it once');
  }
  // The parser has parsed a part of type application/json.
  fields.set(fieldname, typeof value === 'string' ? value : JSON.stringify(value));
}

async function store(part: MultipartFile, path: string): Promise<void> {
  const source: Readable & { truncated?: boolean } = part.file;
  await pipeline(source, createWriteStream(path, { mode: 0o600 }));
  // Above the limit the parser ends the file without an error.
  if (source.truncated) throw tooLarge('file: at most 2 GiB; split it');
}

function tooLarge(details: string): DomainError {
  return new DomainError('BODY_TOO_LARGE', 'The body is too large', { details });
}

/** Converts errors of the parser. Errors of the file system stay internal errors. */
function formError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DomainError || 'syscall' in error) return error;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT') {
    return tooLarge(`form: at most ${MAX_FIELDS} fields`);
  }
  if (code === 'FST_PROTO_VIOLATION') {
    return new DomainError('UNKNOWN_FIELD', 'The form has an unknown field', {
      details: 'form: a field has the name of a built-in object property; remove it',
    });
  }
  return new DomainError('INVALID_PARAMETER', 'The form cannot be read', {
    details: `body: must be multipart/form-data that ends with its boundary (${error.message})`,
  });
}

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../vocabulary/error.ts';

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
  const limits = { fileSize: MAX_FILE_BYTES, fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: 1 };
  for await (const part of request.parts({ limits })) {
    if (part.type === 'file') {
      path = join(folder, 'file');
      await store(part, path);
    } else {
      if (part.valueTruncated) throw tooLarge(`${part.fieldname}: a form field may have 64 KiB`);
      if (fields.has(part.fieldname)) {
        throw new DomainError('INVALID_PARAMETER', 'A form field stands twice', {
          details: `${part.fieldname}: send it once`,
        });
      }
      fields.set(part.fieldname, String(part.value));
    }
  }
  return { fields, path };
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

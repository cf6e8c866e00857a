import type { FileHandle } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { DomainError, wrongParameter } from '../../vocabulary/error.ts';
import type { Plan } from '../../vocabulary/plan.ts';
import { bodyTooLarge, maxBodyBytes } from '../../vocabulary/call-limits.ts';
import { bodyBroken, bodyTooSlow } from './read-body.ts';
import { assertDiskSpace, openSpool, withUploadMutex, writeSpool } from './spool.ts';

const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 50;
const MAX_NAME = 255;
/** A form has at most two files. The second one of a form with one file is ignored. */
const MAX_FILES = 2;
const MAX_FORM_BYTES = MAX_FIELDS * (MAX_FIELD_BYTES + 1024);
/** The minimum rate of a form. */
const WINDOW_MS = 30_000;
const MIN_BYTES = 16 * 1024;
const CHECK_DISK_EVERY_MS = 1_000;

/** The text fields of a form, and the path of its file on disk. */
export interface Upload {
  fields: Map<string, string>;
  path: string | undefined;
  /** the name that the client gave the file */
  fileName: string | undefined;
}

/** The text fields of a form, and its files on disk by the names of their parts. */
export interface Uploads {
  fields: Map<string, string>;
  files: Map<string, { path: string; fileName: string }>;
}

/**
 * Writes the file of a multipart form to disk as it arrives, because options may follow it; then calls `work`. The file
 * is gone when `work` is done, and on Linux when the process ends. One upload of an account at a time, its work
 * included. Before the body is read, throws PLAN_LIMIT_EXCEEDED or BODY_TOO_LARGE if it is too large, and BUSY after
 * 30 s of waiting or if the disk is nearly full. Then throws REQUEST_TIMEOUT below 16 KiB in `windowMs`.
 */
export function withUpload<T>(
  request: FastifyRequest,
  work: (upload: Upload) => Promise<T>,
  windowMs = WINDOW_MS,
): Promise<T> {
  return withForm(request, { windowMs }, ({ fields, files }) => {
    const [file] = files.values();
    return work({ fields, path: file?.path, fileName: file?.fileName });
  });
}

/** The same for a form whose file parts have these names. Throws UNKNOWN_FIELD for another name. */
export const withUploads = <T>(
  request: FastifyRequest,
  names: readonly string[],
  work: (uploads: Uploads) => Promise<T>,
): Promise<T> => withForm(request, { windowMs: WINDOW_MS, names }, work);

interface FormOptions {
  windowMs: number;
  /** of the file parts; undefined: the form has one file of any name */
  names?: readonly string[];
}

async function withForm<T>(
  request: FastifyRequest,
  options: FormOptions,
  work: (uploads: Uploads) => Promise<T>,
): Promise<T> {
  if (!request.isMultipart()) {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The content type is not supported', {
      details: 'Content-Type: send multipart/form-data with the file as one part (curl -F file=@redirects.csv)',
    });
  }
  const { accountId, plan } = request.actor;
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > maxBodyBytes(plan) + MAX_FORM_BYTES) throw bodyTooLarge(plan, 'file');
  return withUploadMutex(accountId, () => receive(request, { length, ...options }, work));
}

async function receive<T>(
  request: FastifyRequest,
  { length, windowMs, names }: FormOptions & { length: number },
  work: (uploads: Uploads) => Promise<T>,
): Promise<T> {
  await assertDiskSpace(length);
  const spools: Awaited<ReturnType<typeof openSpool>>[] = [];
  const watch = watchArrival(request, windowMs);
  const reading = new AbortController();
  try {
    const uploads: Uploads = { fields: new Map(), files: new Map() };
    const store = async (part: MultipartFile): Promise<void> => {
      const spool = await openSpool();
      // Opened after the form has failed: the loop below may be over.
      if (reading.signal.aborted) return closeSpool(spool);
      spools.push(spool);
      addAbortSignal(reading.signal, part.file);
      uploads.files.set(part.fieldname, { path: spool.path, fileName: part.filename.slice(0, MAX_NAME) });
      await storeFile(part, spool.file, request.actor.plan);
    };
    await Promise.race([readParts(request, uploads, names, store), watch.failed]);
    watch.stop();
    return await work(uploads);
  } finally {
    watch.stop();
    // Ends the write of a file that has not arrived: closing waits for it.
    reading.abort();
    for (const spool of spools) await closeSpool(spool);
    // After an early error, discard the rest of the form, so that the client reads the response.
    if (!request.raw.complete) request.raw.unpipe().resume();
  }
}

async function closeSpool({ file, remove }: Awaited<ReturnType<typeof openSpool>>): Promise<void> {
  await file.close();
  await remove();
}

async function readParts(
  request: FastifyRequest,
  { fields, files }: Uploads,
  names: readonly string[] | undefined,
  store: (part: MultipartFile) => Promise<void>,
): Promise<void> {
  const { plan } = request.actor;
  const limits = { fileSize: maxBodyBytes(plan), fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: MAX_FILES };
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') addField(fields, part);
      else if (names) {
        assertNamed(part, names, files);
        await store(part);
      } else if (files.size > 0) part.file.resume();
      else await store(part);
    }
  } catch (error) {
    throw formError(error);
  }
}

function assertNamed({ fieldname }: MultipartFile, names: readonly string[], files: Uploads['files']): void {
  if (files.has(fieldname)) throw wrongParameter(fieldname, 'is a duplicate form file; send it once');
  if (names.includes(fieldname)) return;
  throw wrongParameter(fieldname, `is not a known form file; the form takes ${names.join(', ')}`, 'UNKNOWN_FIELD');
}

/** `failed` rejects if the form arrives too slowly, breaks off or fills the disk. */
function watchArrival({ raw }: FastifyRequest, windowMs: number): { failed: Promise<never>; stop: () => void } {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  const onClose = (): void => {
    if (!raw.readableEnded) reject(bodyBroken());
  };
  // The client may have left while the request waited.
  if (raw.destroyed) onClose();
  raw.once('close', onClose);
  let received = raw.socket.bytesRead;
  const rate = setInterval(() => {
    const isSlow = raw.socket.bytesRead - received < MIN_BYTES && !raw.complete && !raw.isPaused();
    received = raw.socket.bytesRead;
    if (isSlow) reject(bodyTooSlow('at least 16 KiB in each 30 s'));
  }, windowMs);
  const disk = setInterval(() => void assertDiskSpace(0).catch(reject), CHECK_DISK_EVERY_MS);
  return {
    failed,
    stop() {
      clearInterval(rate);
      clearInterval(disk);
    },
  };
}

function addField(fields: Map<string, string>, { fieldname, value, valueTruncated }: MultipartValue): void {
  if (valueTruncated) throw tooLarge(`${fieldname}: a form field may have at most 64 KiB`);
  if (fields.has(fieldname)) {
    throw wrongParameter(fieldname, 'is a duplicate form field; send it once');
  }
  // The parser has parsed a part of type application/json.
  fields.set(fieldname, typeof value === 'string' ? value : JSON.stringify(value));
}

async function storeFile(part: MultipartFile, file: FileHandle, plan: Plan): Promise<void> {
  const source: Readable & { truncated?: boolean } = part.file;
  await writeSpool(file, source);
  // Above the limit the parser ends the file without an error.
  if (source.truncated) throw bodyTooLarge(plan, 'file');
}

function tooLarge(details: string): DomainError {
  return new DomainError('BODY_TOO_LARGE', 'The body is too large', { details });
}

/** Converts errors of the parser. Errors of the file system stay internal errors. */
function formError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DomainError) return error;
  const code = 'code' in error ? error.code : undefined;
  if ('syscall' in error) return error;
  if (code === 'FST_FILES_LIMIT') return tooLarge('form: has too many files; send a form for each');
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

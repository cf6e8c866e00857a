import { type FileHandle, mkdtemp, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { createKeyedSemaphore } from '../platform/semaphore.ts';
import { DomainError, wrongParameter } from '../vocabulary/error.ts';
import { type Plan, PLANS } from '../vocabulary/plan.ts';
import { bodyBroken, bodyTooSlow } from './read-body.ts';

/** The largest file of an upload, and of each row that the plan allows in one. */
const MAX_FILE_BYTES = 2 * 1024 ** 3;
const MAX_ROW_BYTES = 64 * 1024;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 50;
/** The first is the file, a second one is ignored. */
const MAX_FILES = 2;
const MAX_FORM_BYTES = MAX_FIELDS * (MAX_FIELD_BYTES + 1024);
/** The minimum rate of a form. */
const WINDOW_MS = 30_000;
const MIN_BYTES = 16 * 1024;
/** The part of the disk that uploads leave free. */
const FREE_SHARE = 0.05;
const CHECK_DISK_EVERY_MS = 1_000;
/** The wait for other uploads of the account, and how many may wait. Those that wait read nothing of their body. */
const WAIT_MS = 30_000;
const MAX_WAITING = 1_000;

/** The text fields of a form, and the path of its file, which has no name on disk. */
export interface Upload {
  fields: Map<string, string>;
  path: string | undefined;
}

const withTurn = createKeyedSemaphore<number>(1);

/**
 * Writes the file of a multipart form to disk as it arrives, because options may follow it; then calls `work`. The file
 * is gone when `work` is done, and on Linux when the process ends. One upload of an account at a time, its work
 * included. Before the body is read, throws PLAN_LIMIT_EXCEEDED or BODY_TOO_LARGE if it is too large, and BUSY after 30
 * s of waiting or if the disk is nearly full. Then throws REQUEST_TIMEOUT below 16 KiB in `windowMs`.
 */
export async function withUpload<T>(
  request: FastifyRequest,
  work: (upload: Upload) => Promise<T>,
  windowMs = WINDOW_MS,
): Promise<T> {
  if (!request.isMultipart()) {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The content type is not supported', {
      details: 'Content-Type: send multipart/form-data with the file as one part (curl -F file=@redirects.csv)',
    });
  }
  const { accountId, plan } = request.actor;
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > maxFileBytes(plan) + MAX_FORM_BYTES) throw fileTooLarge(plan);
  const timeout = { timeoutMs: WAIT_MS, error: uploadRunning, maxWaiting: MAX_WAITING };
  return withTurn(accountId, () => receive(request, { length, windowMs }, work), timeout);
}

/** Rows times the size of a row, and at most 2 GiB. */
function maxFileBytes(plan: Plan): number {
  return Math.min(PLANS[plan].bulkImportMax * MAX_ROW_BYTES, MAX_FILE_BYTES);
}

async function receive<T>(
  request: FastifyRequest,
  { length, windowMs }: { length: number; windowMs: number },
  work: (upload: Upload) => Promise<T>,
): Promise<T> {
  await assertDiskSpace(length);
  const { file, path, remove } = await openSpool();
  const watch = watchArrival(request, windowMs);
  const reading = new AbortController();
  try {
    const fields = new Map<string, string>();
    const hasFile = await Promise.race([readParts(request, fields, { file, signal: reading.signal }), watch.failed]);
    watch.stop();
    return await work({ fields, path: hasFile ? path : undefined });
  } finally {
    watch.stop();
    // Ends the write of a file that has not arrived: closing waits for it.
    reading.abort();
    await file.close();
    await remove();
    // After an early error, discard the rest of the form, so that the client reads the response.
    if (!request.raw.complete) request.raw.unpipe().resume();
  }
}

const FOLDER = 'detour-upload-';
/** Longer than an upload may take. */
const LEFTOVER_AGE_MS = 2 * 3_600_000;

/** Removes the folders of uploads that a process left behind when it crashed: one of macOS, or of a former version. */
export async function removeLeftUploads(now: Date): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER)) continue;
    const folder = join(tmpdir(), name);
    const found = await stat(folder).catch(() => undefined);
    if (found && now.getTime() - found.mtimeMs > LEFTOVER_AGE_MS) await rm(folder, { recursive: true, force: true });
  }
}

interface Spool {
  file: FileHandle;
  path: string;
  /** Call it when the file is closed. */
  remove: () => Promise<void>;
}

/**
 * Opens an empty file. On Linux it has no name, so the system frees it when it is closed, also after a crash. On macOS
 * it keeps its name, because opening /dev/fd/N there continues at the end of what was written.
 */
async function openSpool(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), FOLDER));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'file');
  try {
    const file = await open(path, 'wx+', 0o600);
    if (process.platform !== 'linux') return { file, path, remove };
    await remove();
    return { file, path: `/dev/fd/${file.fd}`, remove: async () => {} };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns whether the form has a file. */
async function readParts(
  request: FastifyRequest,
  fields: Map<string, string>,
  { file, signal }: { file: FileHandle; signal: AbortSignal },
): Promise<boolean> {
  const { plan } = request.actor;
  let hasFile = false;
  const limits = { fileSize: maxFileBytes(plan), fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: MAX_FILES };
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') addField(fields, part);
      else if (hasFile) part.file.resume();
      else {
        hasFile = true;
        addAbortSignal(signal, part.file);
        await store(part, file, plan);
      }
    }
  } catch (error) {
    throw formError(error);
  }
  return hasFile;
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

/** Throws BUSY if less than 5 % of the disk would be free. */
async function assertDiskSpace(bytes: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(tmpdir());
  if (bavail * bsize - bytes < blocks * bsize * FREE_SHARE) throw diskFull();
}

function diskFull(): DomainError {
  const details = 'The disk for uploads is nearly full; 5 % of it stay free. Ask the operator for space, then retry';
  return new DomainError('BUSY', 'The service has no space for the file', { details, retryAfter: 60 });
}

function uploadRunning(): DomainError {
  const details = 'Another file of the account is being imported; send this one when that has ended';
  return new DomainError('BUSY', 'The service is busy', { details, retryAfter: 30 });
}

function fileTooLarge(plan: Plan): DomainError {
  const max = maxFileBytes(plan);
  if (max === MAX_FILE_BYTES) return tooLarge('file: at most 2 GiB; split it');
  return new DomainError('PLAN_LIMIT_EXCEEDED', "The file exceeds the plan's limit", {
    details: `file: the ${plan} plan takes files of at most ${max / 1024 ** 2} MiB; nothing was applied, split it or change the plan`,
  });
}

function addField(fields: Map<string, string>, { fieldname, value, valueTruncated }: MultipartValue): void {
  if (valueTruncated) throw tooLarge(`${fieldname}: a form field may have at most 64 KiB`);
  if (fields.has(fieldname)) {
    throw wrongParameter(fieldname, 'is a duplicate form field; send it once');
  }
  // The parser has parsed a part of type application/json.
  fields.set(fieldname, typeof value === 'string' ? value : JSON.stringify(value));
}

async function store(part: MultipartFile, file: FileHandle, plan: Plan): Promise<void> {
  const source: Readable & { truncated?: boolean } = part.file;
  await file.writeFile(source);
  // Above the limit the parser ends the file without an error.
  if (source.truncated) throw fileTooLarge(plan);
}

function tooLarge(details: string): DomainError {
  return new DomainError('BODY_TOO_LARGE', 'The body is too large', { details });
}

/** Converts errors of the parser. Errors of the file system stay internal errors. */
function formError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DomainError) return error;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull();
  if ('syscall' in error) return error;
  if (code === 'FST_FILES_LIMIT') return tooLarge('form: at most one file; send a form for each');
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

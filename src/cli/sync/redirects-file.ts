/** Files of redirects or expectations: CSV, NDJSON or JSON, also gzipped, or standard input. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Body, Call } from '../client.ts';
import { type Context, choice } from '../command.ts';
import type { OptionSpec } from '../options.ts';
import { CommandError, UsageError } from '../errors.ts';
import { jsonEntries } from './json-entries.ts';
import { countBytes, createProgress, type Progress } from '../progress.ts';

const FORMATS = ['csv', 'ndjson', 'json'] as const;

export type FileFormat = (typeof FORMATS)[number];

/** `ndjson` also stands for JSON: such a file is sent as lines, because it may be a list or an export. */
const TYPES: Record<FileFormat, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/x-ndjson',
};

export const FORMAT_OPTION: Record<string, OptionSpec> = {
  format: {
    value: FORMATS.join('|'),
    choices: FORMATS,
    help: 'The format of FILE. Default: by its name; required for `-`.',
  },
};

export interface InputFile {
  name: string;
  format: FileFormat;
  body: Body;
  progress: Progress;
}

/**
 * Opens a file, or standard input for `-`. Shows on a terminal how much of it is sent. `key` names the list in a JSON
 * object, such as `redirects`. Throws a UsageError if the file or its format is unknown.
 */
export async function openInput(context: Context, path: string, key: string): Promise<InputFile> {
  const format = choice(context, 'format', FORMATS) ?? formatOf(path);
  const progress = createProgress(context.terminal.stderr);
  const file = { name: path === '-' ? 'standard input' : path, format, progress };
  if (path === '-') {
    if (format === 'json') throw new UsageError('- takes csv or ndjson; write JSON to a file first');
    const open = (): Readable => counted(context.terminal.stdin, progress, undefined);
    return { ...file, body: { type: TYPES[format], open, isReplayable: false } };
  }
  const size = await sizeOf(path);
  if (format === 'json') {
    // A first pass finds what is wrong before anything is sent.
    for await (const _line of jsonLines(path, key));
    return { ...file, body: { type: TYPES.json, open: () => Readable.from(jsonLines(path, key)), isReplayable: true } };
  }
  const headers = path.endsWith('.gz') ? { 'content-encoding': 'gzip' } : undefined;
  const open = (): Readable => counted(createReadStream(path), progress, size);
  return { ...file, body: { type: TYPES[format], open, isReplayable: true, ...(headers && { headers }) } };
}

/** Sends a file as the body of a call, and clears its progress at the end. Throws as the call. */
export async function sendFile<T>(
  { client }: Context,
  { body, progress }: InputFile,
  call: Omit<Call, 'body'>,
): Promise<T> {
  try {
    return await client.call<T>({ ...call, body });
  } finally {
    progress.clear();
  }
}

/** The format of a name such as `redirects.csv` or `redirects.ndjson.gz`. Throws a UsageError. */
export function formatOf(path: string): FileFormat {
  const [, extension = '', gz] = /\.(csv|ndjson|jsonl|json)(\.gz)?$/i.exec(path) ?? [];
  if (extension === '' || (gz && extension === 'json')) {
    const place = path === '-' ? 'standard input' : `"${path}"`;
    throw new UsageError(`the format of ${place} is unknown: name it .csv, .ndjson or .json, or add --format`);
  }
  const name = extension.toLowerCase();
  return name === 'csv' || name === 'json' ? name : 'ndjson';
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (found.isFile() || found.isFIFO()) return found.size;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new UsageError(isMissing ? `${path} does not exist` : `${path} cannot be read`);
  }
  throw new UsageError(`${path} is not a file`);
}

function counted(source: Readable, progress: Progress, total: number | undefined): Readable {
  const counter = countBytes((bytes) => {
    if (total !== undefined && bytes >= total) progress.show('applying');
    else progress.show('sending', bytes, total);
  });
  source.once('error', (error) => counter.destroy(error));
  source.once('end', () => progress.show('applying'));
  return source.pipe(counter);
}

/**
 * The entries of a JSON file as lines; the file is read again for each request. Throws a CommandError if it is not valid
 * JSON, or neither a list nor an object with the list.
 */
async function* jsonLines(path: string, key: string): AsyncGenerator<string> {
  let hasList: boolean;
  try {
    hasList = yield* jsonEntries(createReadStream(path, 'utf8'), key);
  } catch (error) {
    throw new CommandError(`${path} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!hasList) throw new CommandError(`${path} must be a list, or an object with the list "${key}"`);
}

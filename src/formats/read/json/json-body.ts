/**
 * Reads a bulk body `{ "website_id": ..., "redirects": [ ... ], ... }` as it arrives; README.md has the picture. Another
 * body names its list differently.
 * Entries are cut out in slices of 64 KiB at the last `}` and parsed together: `[`slice`]` is JSON only if the cut is
 * outside strings and nesting. If it is not JSON, an exact scan finds the ends of the entries.
 */
import { isUtf8 } from 'node:buffer';
import { DomainError } from '../../../vocabulary/error.ts';
import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { ByteSource } from './byte-source.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from './json-scan.ts';

const SLICE_BYTES = 64 * 1024;
const BATCH_ENTRIES = 500;
/** One entry, or one field besides the entries. */
const MAX_VALUE_BYTES = 64 * 1024;
const COLON = 0x3a;

/** `object`: the one that has the field or the list, unless that is the body. */
export type BodyPart = ({ field: string; value: unknown } | { entries: unknown[] }) & { object?: string | undefined };

/**
 * Yields the parts of the body in their order, entries in batches. Throws INVALID_JSON (also for invalid UTF-8, a
 * truncated body and text after the end), DUPLICATE_FIELD, and BODY_TOO_LARGE for an entry or field of more than 64
 * KiB. `assertKnown` throws for an unknown field before its value is read. `list` is the field with the entries; errors
 * count them from `first`. A body of zero bytes has no fields. An object that is named in `objects` is yielded as `{}`,
 * then its members, which may have the list too.
 */
export async function* readJsonBody(
  source: ByteSource,
  assertKnown: (field: string) => void,
  list = 'redirects',
  first = 0,
  objects: readonly string[] = [],
): AsyncGenerator<BodyPart> {
  if ((await peek(source)) === undefined && source.received === 0) return;
  yield* readMembers(source, { assertKnown, list, first, objects });
  await expectEnd(source, 'object');
}

interface Shape {
  assertKnown: (field: string) => void;
  list: string;
  first: number;
  objects: readonly string[];
}

async function* readMembers(source: ByteSource, shape: Shape, object?: string): AsyncGenerator<BodyPart> {
  await expectByte(source, OPEN_BRACE, 'the body must be a JSON object');
  const seen = new Set<string>();
  let isClosed = (await peek(source)) === CLOSE_BRACE;
  if (isClosed) source.take(1);
  while (!isClosed) {
    const name = await readName(source);
    const field = object === undefined ? name : `${object}.${name}`;
    shape.assertKnown(field);
    if (seen.has(field)) {
      const details = `${field}: send it once`;
      throw new DomainError('DUPLICATE_FIELD', 'A field is duplicated', { details });
    }
    seen.add(field);
    await expectByte(source, COLON, `a colon must follow "${field}"`);
    const opening = await peek(source);
    if (name === shape.list && opening === OPEN_BRACKET) yield* readEntries(source, field, shape.first, object);
    else if (object === undefined && shape.objects.includes(field) && opening === OPEN_BRACE) {
      yield { field, value: {} };
      yield* readMembers(source, shape, field);
    } else yield { field: name, value: await readValue(source), object };
    isClosed = await endOfMember(source);
  }
}

/** The same of a file, which may also be the list alone. */
export async function* readJsonFile(
  source: ByteSource,
  assertKnown: (field: string) => void,
  list = 'redirects',
  first = 1,
) {
  if ((await peek(source)) !== OPEN_BRACKET) return yield* readJsonBody(source, assertKnown, list, first);
  yield* readEntries(source, 'the list', first);
  await expectEnd(source, 'list');
}

/** The error of a field that the body does not take. `takes` names those that it does. */
export function unknownField(field: string, takes: string): DomainError {
  const path = field.slice(0, 100);
  return new DomainError('UNKNOWN_FIELD', 'A body field is not known', {
    details: `${path}: is not a known field; the body takes ${takes}`,
    issues: [{ path, code: 'UNKNOWN_FIELD', message: 'is not a known field; remove it' }],
  });
}

async function expectEnd(source: ByteSource, what: string): Promise<void> {
  if ((await peek(source)) !== undefined) throw invalidJson(`there is text after the end of the ${what}`);
}

function invalidJson(reason: string): DomainError {
  const details = `body: ${reason}; nothing was applied`;
  return new DomainError('INVALID_JSON', 'The body is not valid JSON', { details });
}

function tooLarge(what: string): DomainError {
  const details = `body: ${what} may have at most 64 KiB; nothing was applied`;
  return new DomainError('BODY_TOO_LARGE', 'The body is too large', { details });
}

/** Returns the next byte that is not white space, without consuming it; undefined at the end. */
async function peek(source: ByteSource): Promise<number | undefined> {
  for (;;) {
    source.take(skipSpace(source.buffer, 0));
    if (source.buffer.length > 0) return source.buffer[0];
    if (!(await source.more())) return undefined;
  }
}

async function expectByte(source: ByteSource, byte: number, reason: string): Promise<void> {
  if ((await peek(source)) !== byte) throw invalidJson(reason);
  source.take(1);
}

async function readName(source: ByteSource): Promise<string> {
  if ((await peek(source)) !== QUOTE) throw invalidJson('a field name in double quotes was expected');
  // A JSON string parses to a string.
  return String(await readValue(source));
}

/** Consumes the comma or brace after a member; true if it was the last one. */
async function endOfMember(source: ByteSource): Promise<boolean> {
  const byte = await peek(source);
  if (byte !== COMMA && byte !== CLOSE_BRACE)
    throw invalidJson('it ends before the object does, or a comma is missing');
  source.take(1);
  return byte === CLOSE_BRACE;
}

async function readValue(source: ByteSource): Promise<unknown> {
  for (;;) {
    const end = endOfValue(source.buffer, 0);
    if (end > MAX_VALUE_BYTES || (end < 0 && source.buffer.length > MAX_VALUE_BYTES)) throw tooLarge('a field');
    if (end > 0) {
      const value = parse(source.buffer.subarray(0, end), 'the value of a field is not JSON');
      source.take(end);
      return value;
    }
    if (end === 0) throw invalidJson('a value was expected');
    if (!(await source.more())) throw invalidJson('it ends within a value');
  }
}

function parse(bytes: Buffer, reason: string): unknown {
  if (!isUtf8(bytes)) throw invalidJson('it is not valid UTF-8');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidJson(reason);
  }
}

async function* readEntries(
  source: ByteSource,
  list: string,
  first: number,
  object?: string,
): AsyncGenerator<BodyPart> {
  source.take(1);
  // An empty array also counts as present.
  yield { entries: [], object };
  if ((await peek(source)) === CLOSE_BRACKET) return source.take(1);
  const position = { index: first, isExact: false };
  const slice = createTimeSlice();
  for (;;) {
    // One byte more than an entry may have: an entry without an end by then is too large.
    while (source.buffer.length <= SLICE_BYTES && (await source.more()));
    const entries = (position.isExact ? undefined : takeSlice(source)) ?? takeExactly(source, position);
    position.index += entries.length;
    for (let at = 0; at < entries.length; at += BATCH_ENTRIES) {
      yield { entries: entries.slice(at, at + BATCH_ENTRIES), object };
      if (slice.isOver()) await slice.yield();
    }
    const byte = await peek(source);
    if (byte === CLOSE_BRACKET) return source.take(1);
    if (byte !== COMMA)
      throw invalidJson(`it ends within ${list}, or a comma is missing after entry ${position.index - 1}`);
    source.take(1);
    if ((await peek(source)) === CLOSE_BRACKET) throw invalidJson(`${list} ends with a comma`);
  }
}

/** Takes all entries up to the last `}` of the buffer; undefined if that is not a valid cut. */
function takeSlice(source: ByteSource): unknown[] | undefined {
  const end = source.buffer.lastIndexOf(CLOSE_BRACE, SLICE_BYTES - 1) + 1;
  if (end === 0) return undefined;
  const bytes = source.buffer.subarray(0, end);
  if (!isUtf8(bytes)) throw invalidJson('it is not valid UTF-8');
  try {
    const entries = JSON.parse(`[${bytes.toString('utf8')}]`) as unknown[];
    source.take(end);
    return entries;
  } catch {
    return undefined;
  }
}

/** Takes entries one by one: at the end of the array, and in bodies made to be slow. Takes at least one, or throws. */
function takeExactly(source: ByteSource, position: { index: number; isExact: boolean }): unknown[] {
  const { buffer } = source;
  const entries: unknown[] = [];
  let [at, taken] = [0, 0];
  while (at < SLICE_BYTES && entries.length < BATCH_ENTRIES) {
    at = skipSpace(buffer, at);
    const end = endOfValue(buffer, at);
    const entry = `entry ${position.index + entries.length}`;
    if (end > at + MAX_VALUE_BYTES || (end < 0 && buffer.length - at > MAX_VALUE_BYTES)) throw tooLarge(entry);
    if (end < 0 || end === at) break;
    entries.push(parse(buffer.subarray(at, end), `${entry} is not JSON`));
    taken = end;
    at = skipSpace(buffer, end);
    if (buffer[at] !== COMMA) break;
    at++;
  }
  if (entries.length === 0) throw invalidJson(`it ends within entry ${position.index}, or that is not a JSON value`);
  // Only the end of the array makes slicing fail in an ordinary body. Otherwise scan the rest exactly.
  position.isExact = buffer[skipSpace(buffer, taken)] !== CLOSE_BRACKET;
  source.take(taken);
  return entries;
}

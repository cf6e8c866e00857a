/** Counts an access log: hits of rules, unmatched paths, and requests of the URLs of a website. */
import { createGunzip } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';
import { recordAudit } from '../../accounts/audit.ts';
import type { Db, Queryable } from '../../db/connection/client.ts';
import type { LiveRules } from '../../deployments/live/live-registry.ts';
import { createLogReader, type LogFormat, recognizeLog } from '../../formats/read/logs/log-format.ts';
import type { LogLine, ReadLine } from '../../formats/read/logs/log-line.ts';
import { createLineBlocks, type LineBlock } from '../../formats/read/logs/log-lines.ts';
import { createLocalTimes } from '../../formats/read/logs/times.ts';
import { hasGzipMagic } from '../../formats/read/urls/unpack.ts';
import type { Visitors } from '../../hits/count/visitor.ts';
import { daysOf, splitIntoBatches } from '../../hits/counters/write-batches.ts';
import { createWriterState, writeOnce } from '../../hits/store/write-batch.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { busy, DomainError, invalid } from '../../vocabulary/error.ts';
import { requireEditableRow } from '../../websites/website.ts';
import { type LogStream, readCountedBodies } from './log-bodies.ts';
import { addLogDay } from './log-days.ts';
import { createLogCounters, createTimeCheck, type LogCounts, maskedLine, type Unused } from './log-counters.ts';
import { type LogPlace, openLogSite } from './log-site.ts';
import { writeUrlHits } from './write-url-hits.ts';

export interface LogInput extends LogPlace, LogStream {
  /** undefined: recognized by its first lines */
  format?: LogFormat | undefined;
  /** of times without one */
  timeZone: string;
}

export interface CountedLog {
  counts: LogCounts;
  format: LogFormat | null;
  /** of a file: where the next body begins */
  offset: number | null;
  /** lines that were not counted, masked */
  examples: { line: number; reason: Unused; value: string }[];
}

export interface LogDeps {
  db: Db;
  openVisitors: () => Promise<Visitors>;
  /** for how many days hits are retained */
  retentionDays: number;
}

/** The live rules of the website, and the time of the call. */
export interface LogContext {
  liveOf: (environment: Environment) => LiveRules | undefined;
  now: Date;
}

const MAX_BYTES = 2 * 1024 ** 3;
const MAX_LINE_LENGTH = 64 * 1024;
const MAX_EXAMPLES: Record<Unused, number> = { invalid: 10, not_ours: 5, unused: 5 };

/**
 * Counts the whole lines of the body, gzipped or not, except the part that was counted before. One transaction writes all
 * counts. Throws, and counts nothing, WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE, MISSING_PARAMETER without a host,
 * BODY_TOO_LARGE above 2 GiB, BUSY if the same stream was counted at the same time, and validation errors.
 */
export async function countLog(
  deps: LogDeps,
  actor: Actor,
  input: LogInput,
  body: AsyncIterable<Buffer>,
  { liveOf, now }: LogContext,
): Promise<CountedLog> {
  const { db, retentionDays } = deps;
  const site = await openLogSite(db, actor, input, liveOf);
  const bodies = await readCountedBodies(db, input);
  const chunks = await takeSmall(unpacked(body));
  await site.readUrls(chunks.small && urlsOf(input, bodies.header, chunks.small, site.urlOf));
  const counters = createLogCounters(input.websiteId, site, await deps.openVisitors());
  const log = openLog(input, bodies.header, createTimeCheck(now, retentionDays), counters.count);
  const lines = createLineBlocks();
  const slice = createTimeSlice();
  for await (const chunk of chunks.all()) {
    for (const block of lines.blocks(chunk)) {
      if (slice.isOver()) await slice.yield();
      for (let rest = block.bytes; rest.length > 0;) {
        const bytes = rest.subarray(0, bodies.take(rest));
        rest = rest.subarray(bytes.length);
        log.read({ ...block, bytes });
        if (bodies.add(bytes)) skip();
        await counters.pack();
      }
    }
  }
  if (bodies.isWholeKnown()) skip();
  const { counts, pending, urlHits } = counters.result();
  if (counts.lines > counts.skipped) {
    const isNew = await writeOnce(
      db,
      createWriterState(),
      {
        batches: splitIntoBatches(pending),
        days: daysOf(pending),
        websiteIds: [input.websiteId],
        now,
        isPast: true,
      },
      async (tx) => {
        await requireEditableRow(tx, actor, input.websiteId);
        await writeUrlHits(tx, input.websiteId, site.urls(), urlHits);
        await addLogDay(tx, input, counts, now);
        if (!input.file) await audit(tx, actor, input, counts);
        return bodies.store(tx, log.header());
      },
    );
    if (!isNew)
      throw busy('stream: the same log was counted by another call at the same time; nothing was applied, retry');
  }
  return { counts, format: log.format(), offset: input.file ? bodies.end() : null, examples: log.examples() };

  function skip(): void {
    counters.skip();
    log.forgetExamples();
  }
}

/** A follower sends a few lines at a time, which should not read all URLs of a large website. */
const SMALL_BYTES = 1024 ** 2;

/** Takes a body of at most SMALL_BYTES into memory; `small` is undefined for a larger one. `all` yields every chunk. */
async function takeSmall(chunks: AsyncGenerator<Buffer>) {
  const taken: Buffer[] = [];
  let isWhole = false;
  for (let bytes = 0; bytes <= SMALL_BYTES && !isWhole;) {
    const step = await chunks.next();
    if (step.done) isWhole = true;
    else {
      taken.push(step.value);
      bytes += step.value.length;
    }
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* taken;
    yield* chunks;
  }
  return { small: isWhole ? taken : undefined, all };
}

/** The URLs that the lines of a small body name. */
function urlsOf(
  input: LogInput,
  header: string,
  chunks: Buffer[],
  urlOf: (line: LogLine) => string | undefined,
): ReadonlySet<string> {
  const urls = new Set<string>();
  const isTime = (): boolean => true;
  const log = openLog(input, header, isTime, (line) => {
    const url = line && urlOf(line);
    if (url !== undefined) urls.add(url);
    return undefined;
  });
  const { blocks } = createLineBlocks();
  for (const chunk of chunks) for (const block of blocks(chunk)) log.read(block);
  return urls;
}

/** Reads blocks of lines, by a format that is recognized by the first one. */
function openLog(
  input: LogInput,
  header: string,
  isTime: (time: number) => boolean,
  count: (line: LogLine | undefined) => Unused | undefined,
) {
  let { format } = input;
  let reader: ReadLine | undefined;
  let fields = header;
  let number = 0;
  let examples: CountedLog['examples'] = [];
  let shown = { invalid: 0, not_ours: 0, unused: 0 };

  function open(lines: string[]): ReadLine {
    format ??= recognizeLog(header === '' ? lines : [header]);
    if (!format) throw unknownFormat();
    return createLogReader(format, { localTime: createLocalTimes(input.timeZone), header });
  }

  function add(text: string, line: LogLine | undefined): void {
    const valid = line && isTime(line.time) ? line : undefined;
    const reason = count(valid);
    if (reason === undefined || shown[reason] >= MAX_EXAMPLES[reason]) return;
    shown[reason]++;
    examples.push({ line: number, reason, value: maskedLine(text, reason === 'invalid' ? undefined : line) });
  }

  function readLine(text: string, read: ReadLine): void {
    number++;
    if (text === '') return;
    const line = text.length > MAX_LINE_LENGTH ? undefined : read(text);
    if (line !== 'directive') add(text, line);
    else if (text.startsWith('#Fields:')) fields = text;
  }

  return {
    format: () => format ?? null,
    header: () => fields,
    examples: () => examples,
    forgetExamples() {
      [examples, shown] = [[], { invalid: 0, not_ours: 0, unused: 0 }];
    },
    read({ bytes, tooLong }: LineBlock): void {
      // One character per byte, as Node.js reads headers.
      const text = tooLong ? '' : bytes.toString('latin1');
      if (tooLong) {
        if (bytes.at(-1) !== LF) return;
        number++;
        return add('', undefined);
      }
      const read = (reader ??= open(text.split(/\r?\n/)));
      for (let start = 0, end = text.indexOf('\n'); end >= 0; start = end + 1, end = text.indexOf('\n', start)) {
        const last = text.charCodeAt(end - 1) === CR && end > start ? end - 1 : end;
        readLine(text.slice(start, last), read);
      }
    },
  };
}
const [LF, CR] = [10, 13];

const unknownFormat = (): DomainError =>
  invalid(
    'format',
    'the first lines have none of the known formats; send format=NAME, or write the log as JSON lines (docs/logs.md)',
  );

/** The bytes of a body, unpacked if they are gzip. */
async function* unpacked(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  // Gzip is known by two bytes, and a chunk may have one.
  for (
    let step = await chunks.next();
    start.length < 2 && !step.done;
    step = start.length < 2 ? await chunks.next() : step
  )
    start = Buffer.concat([start, step.value]);
  async function* whole(): AsyncGenerator<Buffer> {
    yield start;
    for (let step = await chunks.next(); !step.done; step = await chunks.next()) yield step.value;
  }
  let bytes = 0;
  try {
    for await (const chunk of hasGzipMagic(start) ? gunzipped(whole()) : whole()) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw tooLarge();
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    throw invalid('body', 'the gzip data is damaged or truncated; pack the log again and send it whole');
  }
}

/** An error on either side destroys the other stream; the reader receives it. */
const gunzipped = (bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> =>
  pipeline(Readable.from(bytes), createGunzip({ chunkSize: MAX_LINE_LENGTH }), () => {});

const tooLarge = (): DomainError =>
  new DomainError('BODY_TOO_LARGE', 'The body is too large', {
    details: 'body: at most 2 GiB, counted after decompression; nothing was applied, split the log',
  });

function audit(tx: Queryable, actor: Actor, { websiteId, stream }: LogInput, { lines, counted }: LogCounts) {
  const details = { website_id: websiteId, lines, counted };
  return recordAudit(tx, actor, { action: 'logs.counted', target: stream, details });
}

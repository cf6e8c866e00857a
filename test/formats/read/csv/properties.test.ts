import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createFramer, type RawRecord } from '../../../../src/formats/read/csv/framing.ts';
import { type Delimiter, isWellFormed, splitPlain, tokenizeAll } from '../../../../src/formats/read/csv/tokenize.ts';
import { readCsv } from './csv-file.ts';
import { inSoak } from '../../../support/soak.ts';

const DELIMITERS: Delimiter[] = [',', ';', '|', '\t'];
const delimiter = fc.constantFrom(...DELIMITERS);

/** Text of characters with a meaning in CSV, and of a few others. */
const csvText = fc.string({
  unit: fc.constantFrom('"', '"', ',', ';', '|', '\t', ' ', 'a', 'é', '😀', '\u00a0', '\ufeff', '\v', '/'),
  maxLength: 12,
});

/** The cells that csv-parse returns for one record alone; undefined if it rejects the record. */
function oracle(record: string, by: Delimiter): string[] | undefined {
  try {
    const rows: string[][] = parse(record, {
      delimiter: by,
      record_delimiter: '\u001e',
      relax_column_count: true,
      trim: true,
    });
    return (rows[0] ?? ['']).map((cell) => cell.trim());
  } catch {
    return undefined;
  }
}

describe('the fast paths to cells return what csv-parse returns', () => {
  test('csv-parse accepts a record that counts as well-formed', () => {
    fc.assert(
      fc.property(csvText, delimiter, (record, by) => {
        fc.pre(isWellFormed(record, by));
        expect(oracle(record, by)).toBeDefined();
      }),
      { numRuns: inSoak(20_000, 2_000) },
    );
  });

  test('csv-parse rejects any other record, unless it has white space after a closing quote', () => {
    fc.assert(
      fc.property(csvText, delimiter, (record, by) => {
        fc.pre(!isWellFormed(record, by) && !/"\s/.test(record));
        expect(oracle(record, by)).toBeUndefined();
      }),
      { numRuns: inSoak(20_000, 2_000) },
    );
  });

  test('a record without quotes is split as csv-parse splits it', () => {
    fc.assert(
      fc.property(csvText, delimiter, (text, by) => {
        const record = text.replaceAll('"', '');
        fc.pre(record.trim() !== '' || record.includes(by));
        expect(splitPlain(record, by)).toEqual(oracle(record, by));
      }),
      { numRuns: inSoak(5_000, 500) },
    );
  });

  test('records read together equal the records read alone', () => {
    const some = fc.array(csvText, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(some, delimiter, (texts, by) => {
        const records = texts.filter((text) => text.includes('"') && isWellFormed(text, by));
        fc.pre(records.length > 0);
        expect(tokenizeAll(records, by)).toEqual(records.map((record) => oracle(record, by)));
      }),
      { numRuns: inSoak(5_000, 500) },
    );
  });
});

describe('a written file is read back', () => {
  const cell = fc
    .string({
      unit: fc.constantFrom('"', ',', ';', '|', '\t', ' ', '\n', '\r', '\r\n', 'a', 'B', 'ß', '日', '😀', '#', '/'),
      maxLength: 10,
    })
    .map((text) => text.trim());
  const path = cell.map((text) => `/${text}`.trim());
  const row = fc.record({
    oldPath: path,
    newPath: path,
    notes: cell,
    group: cell,
    quoted: fc.boolean(),
    blankBefore: fc.boolean(),
  });
  const file = fc.record({
    rows: fc.array(row, { minLength: 1, maxLength: 12 }),
    by: delimiter,
    end: fc.constantFrom('\n', '\r\n', '\r'),
    encode: fc.constantFrom('utf8', 'utf8-bom', 'utf16le', 'utf16le-bom', 'utf16be', 'utf16be-bom'),
    lastEnd: fc.boolean(),
  });

  function write(text: string, encoding: string): Buffer {
    const content = encoding.endsWith('-bom') ? `\ufeff${text}` : text;
    if (encoding.startsWith('utf8')) return Buffer.from(content);
    const bytes = Buffer.from(content, 'utf16le');
    return encoding.startsWith('utf16be') ? bytes.swap16() : bytes;
  }

  function quote(text: string, always: boolean, by: string): string {
    const needed = always || /["\r\n]/.test(text) || text.includes(by);
    return needed ? `"${text.replaceAll('"', '""')}"` : text;
  }

  test('with any quoting, delimiter, line end and encoding, as the same rows in the same lines', async () => {
    await fc.assert(
      fc.asyncProperty(file, async ({ rows, by, end, encode, lastEnd }) => {
        let line = 1;
        let text = ['old_path', 'new_path', 'notes', 'group_id'].join(by);
        const expected: unknown[] = [];
        for (const { oldPath, newPath, notes, group, quoted, blankBefore } of rows) {
          if (blankBefore) text += end;
          line += blankBefore ? 2 : 1;
          const written = [oldPath, newPath, notes, group].map((part) => quote(part, quoted, by)).join(by);
          text += end + written;
          expected.push([line, oldPath, newPath, notes || null, group || null]);
          line += written.split(/\r\n|\n|\r/).length - 1;
        }
        const read = await readCsv(write(lastEnd ? text + end : text, encode));
        expect(read.errors).toEqual([]);
        expect(read.rows.map((one) => [one.line, one.oldPath, one.newPath, one.notes, one.groupId])).toEqual(expected);
      }),
      { numRuns: inSoak(400, 60) },
    );
  });

  test('as the same rows wherever it is cut into blocks', () => {
    const line = csvText.map((text) => text.replaceAll('\v', ''));
    const cut = fc.record({
      lines: fc.array(line, { maxLength: 20 }),
      at: fc.array(fc.nat(20)),
      by: delimiter,
    });
    fc.assert(
      fc.property(cut, ({ lines, at, by }) => {
        const whole = createFramer(by);
        whole.push({ text: lines.map((text) => `${text}\n`).join(''), damaged: false }, true);
        const pieces = createFramer(by);
        const taken: RawRecord[] = [];
        const ends = [...new Set(at.map((place) => Math.min(place, lines.length)))].sort((a, b) => a - b);
        let from = 0;
        for (const to of [...ends, lines.length]) {
          const text = lines.slice(from, to).map((one) => `${one}\n`);
          pieces.push({ text: text.join(''), damaged: false }, false);
          taken.push(...(pieces.take(1000)?.records ?? []));
          from = to;
        }
        pieces.push({ text: '', damaged: false }, true);
        taken.push(...(pieces.take(1000)?.records ?? []));
        expect(taken).toEqual(whole.take(1000)?.records ?? []);
      }),
      { numRuns: inSoak(3_000, 300) },
    );
  });

  test('with any bytes, to its end or a DomainError', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      csvText.map((text) => Buffer.from(`old_path,new_path\n${text}`)),
      fc.array(csvText, { maxLength: 6 }).map((texts) => Buffer.from(`old_path,notes\n/a,${texts.join('\n')}`)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        const outcome = await readCsv(Buffer.from(content)).then(
          () => 'read',
          (error: unknown) => (error instanceof Error ? error.name : error),
        );
        expect(['read', 'DomainError']).toContain(outcome);
      }),
      { numRuns: inSoak(1_000, 100) },
    );
  });
});

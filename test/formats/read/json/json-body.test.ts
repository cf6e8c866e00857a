/** Holds the rules of src/formats/read/json/byte-source.ts and json-scan.ts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BodyPart, readJsonBody } from '../../../../src/formats/read/json/json-body.ts';
import { DomainError } from '../../../../src/vocabulary/error.ts';
import { bodyOf } from './body.ts';

const MAX_VALUE_BYTES = 64 * 1024;

interface Read {
  fields: Record<string, unknown>;
  entries: unknown[];
  parts: BodyPart[];
}

async function read(content: string | Buffer, size?: number): Promise<Read> {
  const parts: BodyPart[] = [];
  for await (const part of readJsonBody(bodyOf(content, size), () => {})) parts.push(part);
  const fields = Object.fromEntries(parts.flatMap((part) => ('field' in part ? [[part.field, part.value]] : [])));
  return { fields, entries: parts.flatMap((part) => ('entries' in part ? part.entries : [])), parts };
}

const refusal = (code: string, details: unknown) => ({ code, details });

describe('the fields and entries of a body', () => {
  test('come in the order of the body, the entries between the fields', async () => {
    const { parts } = await read('{"website_id":"1","redirects":[{"a":1},{"a":2}],"dry_run":true}');
    expect(parts).toEqual([
      { field: 'website_id', value: '1' },
      { entries: [] },
      { entries: [{ a: 1 }, { a: 2 }] },
      { field: 'dry_run', value: true },
    ]);
  });

  test('of a named object are parts too, with its list; of other objects they are not', async () => {
    const known: string[] = [];
    const body = '{"from":{"urls":["/a",{"url":"/b"}],"filter":{"urls":[1]}},"other":{"urls":[2]},"urls":[3]}';
    const parts = [];
    for (const size of [1, 7, body.length]) {
      const source = bodyOf(body, size);
      for await (const part of readJsonBody(source, (field) => known.push(field), 'urls', 0, ['from']))
        parts.push(part);
      expect(parts.splice(0)).toEqual([
        { field: 'from', value: {} },
        { entries: [], object: 'from' },
        { entries: ['/a', { url: '/b' }], object: 'from' },
        { field: 'filter', value: { urls: [1] }, object: 'from' },
        { field: 'other', value: { urls: [2] } },
        { entries: [] },
        { entries: [3] },
      ]);
      expect(known.splice(0)).toEqual(['from', 'from.urls', 'from.filter', 'other', 'urls']);
    }
    const twice = readJsonBody(bodyOf('{"from":{"a":1,"a":2}}'), () => {}, 'urls', 0, ['from']);
    await expect(Array.fromAsync(twice)).rejects.toMatchObject({
      code: 'DUPLICATE_FIELD',
      details: 'from.a: send it once',
    });
  });

  test('an empty array is one part without entries, an empty object has no part', async () => {
    expect((await read('{"redirects": [ ]}')).parts).toEqual([{ entries: [] }]);
    expect((await read(' { } ')).parts).toEqual([]);
  });

  test('redirects that are not an array are a field', async () => {
    expect((await read('{"redirects":{"old_path":"/a"}}')).fields).toEqual({ redirects: { old_path: '/a' } });
  });

  test('are the same in chunks of any size, with braces and brackets in texts and nested values', async () => {
    const text = fc.string({
      unit: fc.constantFrom('{', '}', '[', ']', ',', '"', '\\', 'é', '😀', ' '),
      maxLength: 8,
    });
    const value = fc.oneof(
      text,
      fc.constantFrom(null, true, 12.5, -3),
      fc.record({ deep: fc.array(text, { maxLength: 2 }) }),
    );
    const entries = fc.array(fc.record({ a: value, b: text }, { requiredKeys: [] }), { maxLength: 6 });
    const spaces = fc.constantFrom(0, 1, '\t');
    await fc.assert(
      fc.asyncProperty(entries, value, spaces, fc.integer({ min: 1, max: 9 }), async (list, field, indent, size) => {
        const body = { first: field, redirects: list, last: field };
        const { fields, entries } = await read(JSON.stringify(body, null, indent), size);
        expect(entries).toEqual(list);
        expect(fields).toEqual({ first: field, last: field });
      }),
      { numRuns: 300 },
    );
  });

  test('20,000 entries come in several batches, none larger than a slice of 64 KiB', async () => {
    const list = Array.from({ length: 20_000 }, (_, n) => ({ old_path: `/${n}`, note: '}{'.repeat(n % 5) }));
    const { entries, parts } = await read(JSON.stringify({ redirects: list }));
    expect(entries).toEqual(list);
    expect(parts.length).toBeGreaterThan(8);
    for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(MAX_VALUE_BYTES + 32);
  });
});

test('a body of zero bytes has no fields', async () => {
  expect(await read('')).toEqual({ fields: {}, entries: [], parts: [] });
});

describe('a body that is not valid', () => {
  test.each([
    ['an array', '[]', 'the body must be a JSON object'],
    ['white space alone', ' ', 'the body must be a JSON object'],
    ['a name without quotes', '{a:1}', 'a field name in double quotes was expected'],
    ['a field without a colon', '{"a" 1}', 'a colon must follow "a"'],
    ['a field without a value', '{"a":}', 'a value was expected'],
    ['a word that is not JSON', '{"a":yes}', 'the value of a field is not JSON'],
    ['a truncated value', '{"a":"b', 'it ends within a value'],
    ['a truncated object', '{"a":1', 'it ends within a value'],
    ['a missing comma between fields', '{"a":1 "b":2}', 'it ends before the object does, or a comma is missing'],
    ['text after the end', '{} {}', 'there is text after the end of the object'],
    ['a truncated list', '{"redirects":[{"a":1}', 'it ends within redirects, or a comma is missing after entry 0'],
    [
      'a missing comma between entries',
      '{"redirects":[1 2]}',
      'it ends within redirects, or a comma is missing after entry 0',
    ],
    ['a truncated entry', '{"redirects":[{"a":', 'it ends within entry 0, or that is not a JSON value'],
    ['an entry that is not JSON', '{"redirects":[{"a":1},{b}]}', 'entry 1 is not JSON'],
    ['a comma after the last entry', '{"redirects":[1,]}', 'redirects ends with a comma'],
  ])('%s is INVALID_JSON', async (_name, body, reason) => {
    await expect(read(body)).rejects.toMatchObject(refusal('INVALID_JSON', `body: ${reason}; nothing was applied`));
  });

  test('invalid UTF-8 is INVALID_JSON, in a field and in an entry', async () => {
    const broken = (before: string, after: string) =>
      Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
    const expected = refusal('INVALID_JSON', 'body: it is not valid UTF-8; nothing was applied');
    await expect(read(broken('{"a":"', '"}'))).rejects.toMatchObject(expected);
    await expect(read(broken('{"redirects":[{"a":"', '"}]}'))).rejects.toMatchObject(expected);
  });

  test('a duplicated field is DUPLICATE_FIELD', async () => {
    await expect(read('{"a":1,"a":2}')).rejects.toMatchObject(refusal('DUPLICATE_FIELD', 'a: send it once'));
  });

  test('a value of 64 KiB is read, a longer one is BODY_TOO_LARGE', async () => {
    const text = 'x'.repeat(MAX_VALUE_BYTES - 2);
    expect((await read(`{"a":"${text}"}`)).fields).toEqual({ a: text });
    expect((await read(`{"redirects":["${text}"]}`)).entries).toEqual([text]);
    await expect(read(`{"a":"${text}x"}`)).rejects.toMatchObject(
      refusal('BODY_TOO_LARGE', 'body: a field may have at most 64 KiB; nothing was applied'),
    );
    await expect(read(`{"redirects":[1,"${text}x"]}`)).rejects.toMatchObject(
      refusal('BODY_TOO_LARGE', expect.stringMatching(/^body: entry \d may have at most 64 KiB/)),
    );
  });

  test('an unknown field stops the reading before its value', async () => {
    const unknown = new DomainError('UNKNOWN_FIELD', 'not known');
    const parts = readJsonBody(bodyOf('{"a":this is not read'), () => {
      throw unknown;
    });
    await expect(parts.next()).rejects.toBe(unknown);
  });
});

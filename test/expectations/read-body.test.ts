import { describe, expect, test } from 'vitest';
import type { CheckedExpectation } from '../../src/expectations/check-expectation.ts';
import { checkExpectation, isIssue } from '../../src/expectations/check-expectation.ts';
import { type BodyFormat, readExpectations } from '../../src/expectations/read-body.ts';
import { hostTableOf } from '../../src/resolver/host-table.ts';
import type { WebsiteHost } from '../../src/websites/website.ts';

const HOSTS = hostTableOf<WebsiteHost>([
  { hostname: 'shop.example', environment: 'production' },
  { hostname: 'test.shop.example', environment: 'staging' },
]);

const check = (entry: object) => checkExpectation({ url: '/a', status_code: 301, ...entry }, HOSTS);
const keyOf = (url: string): string | undefined => {
  const checked = check({ url });
  return isIssue(checked) ? undefined : checked.key;
};

describe('an expectation', () => {
  test('is stored as it was written; absent fields have their defaults', () => {
    expect(check({})).toEqual({
      url: '/a',
      environment: 'production',
      statusCode: 301,
      location: null,
      final: null,
      key: '/a',
    });
    expect(check({ environment: 'staging', location: '/b', final: null })).toMatchObject({
      environment: 'staging',
      location: '/b',
    });
  });

  test('has the canonical form of its URL as key, with the host if it has one', () => {
    expect(keyOf('/%7ea/../b c?Q=%7e')).toBe('/b%20c?Q=%7e');
    expect(keyOf('HTTPS://Shop.Example:443?x')).toBe('https://shop.example/?x');
    expect(keyOf('/a')).not.toBe(keyOf('https://shop.example/a'));
  });

  test.each([404, 410, 451])('of the status %d has no location and no final', (status_code) => {
    expect(check({ status_code })).toMatchObject({ statusCode: status_code });
    expect(check({ status_code, location: '/b' })).toMatchObject({ path: 'location', code: 'VALIDATION_ERROR' });
    expect(check({ status_code, final: '/b' })).toMatchObject({ path: 'final', code: 'VALIDATION_ERROR' });
  });

  test.each([
    [{ url: undefined }, 'url', 'MISSING_PARAMETER'],
    [{ url: 1 }, 'url', 'INVALID_PARAMETER'],
    [{ url: 'a' }, 'url', 'VALIDATION_ERROR'],
    [{ url: 'ftp://shop.example/a' }, 'url', 'VALIDATION_ERROR'],
    [{ url: '/a#b' }, 'url', 'VALIDATION_ERROR'],
    [{ url: '/a\u0000' }, 'url', 'CONTROL_CHARACTER'],
    [{ url: `/${'a'.repeat(2_048)}` }, 'url', 'TOO_LONG'],
    [{ url: `/${'ü'.repeat(400)}` }, 'url', 'TOO_LONG'],
    [{ url: 'https://other.example/a' }, 'url', 'SOURCE_HOST_MISMATCH'],
    [{ url: 'https://test.shop.example/a' }, 'url', 'SOURCE_HOST_MISMATCH'],
    [{ environment: 'live' }, 'environment', 'INVALID_ENVIRONMENT'],
    [{ status_code: undefined }, 'status_code', 'MISSING_PARAMETER'],
    [{ status_code: '301' }, 'status_code', 'INVALID_PARAMETER'],
    [{ status_code: 200 }, 'status_code', 'INVALID_STATUS_CODE'],
    [{ location: '/b', final: '/b' }, 'final', 'VALIDATION_ERROR'],
    [{ location: 'b' }, 'location', 'VALIDATION_ERROR'],
    [{ location: 1 }, 'location', 'INVALID_PARAMETER'],
    [{ final: `/${'a'.repeat(4_096)}` }, 'final', 'TOO_LONG'],
    [{ status: 301 }, 'status', 'UNKNOWN_FIELD'],
  ])('%j is invalid', (entry, path, code) => {
    expect(check(entry)).toMatchObject({ path, code });
  });

  test.each([null, 1, 'text', [['/a']]])('%j is no entry', (entry) => {
    expect(checkExpectation(entry, HOSTS)).toMatchObject({ path: 'expectations', code: 'INVALID_PARAMETER' });
  });
});

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

async function read(format: BodyFormat, text: string): Promise<CheckedExpectation[]> {
  const found: CheckedExpectation[] = [];
  for await (const { valid } of readExpectations(chunksOf(text), format, HOSTS)) found.push(...valid);
  return found;
}

const A = { url: '/a', environment: 'production', statusCode: 301, location: '/b', final: null, index: 0 };
const B = { url: '/b,"', environment: 'staging', statusCode: 404, location: null, final: null, index: 1 };

describe('a body', () => {
  test.each<[BodyFormat, string]>([
    [
      'json',
      '{"expectations":[{"url":"/a","status_code":301,"location":"/b"},{"url":"/b,\\"","environment":"staging","status_code":404}]}',
    ],
    [
      'ndjson',
      '{"url":"/a","status_code":301,"location":"/b"}\n\n{"url":"/b,\\"","environment":"staging","status_code":404,"final":null}',
    ],
    ['csv', 'url,environment,status_code,location,final\n/a,,301,/b,\n"/b,""",staging,404,,\n'],
    ['csv', '\ufeffLocation;Status_Code;URL;environment\r\n/b;301;/a;\r\n;404;"/b,""";staging'],
  ])('of the format %s has its entries in order', async (format, text) => {
    expect(await read(format, text)).toMatchObject([A, B]);
  });

  test('may have no entries', async () => {
    expect(await read('json', '{"expectations":[]}')).toEqual([]);
    expect(await read('ndjson', '')).toEqual([]);
    expect(await read('csv', 'url,status_code\n')).toEqual([]);
  });

  test('names the row and the field of each invalid entry', async () => {
    const error = { code: 'VALIDATION_ERROR', details: expect.stringContaining('2 of 3 entries are invalid') };
    await expect(
      read('ndjson', '{"url":"/a","status_code":200}\n{"url":"/b","status_code":301}\nno'),
    ).rejects.toMatchObject({
      ...error,
      extra: {
        errors: [
          { index: 0, url: '/a', field: 'status_code', code: 'INVALID_STATUS_CODE' },
          { index: 2, url: null, field: 'row', code: 'MALFORMED_ROW' },
        ],
      },
    });
    await expect(read('csv', 'url,status_code\n/a,x\n\n/b,301,z\n/c,301,\n')).rejects.toMatchObject({
      ...error,
      extra: {
        errors: [
          { index: 0, line: 2, url: '/a', field: 'status_code' },
          { index: 1, line: 4, url: null, field: 'row' },
        ],
      },
    });
  });

  test.each<[BodyFormat, string, string]>([
    ['json', '{"expectations":[{"url":"/a"', 'INVALID_JSON'],
    ['json', '{"expectations":{}}', 'INVALID_PARAMETER'],
    ['json', '{}', 'MISSING_PARAMETER'],
    ['json', '{"website_id":1}', 'UNKNOWN_FIELD'],
    ['csv', '', 'VALIDATION_ERROR'],
    ['csv', 'url,location\n/a,/b\n', 'VALIDATION_ERROR'],
    ['csv', 'url,status_code,target\n', 'UNKNOWN_COLUMN'],
    ['csv', 'url,status_code,URL\n', 'DUPLICATE_COLUMN'],
  ])('of the format %s that is %j fails as a whole', async (format, text, code) => {
    await expect(read(format, text)).rejects.toMatchObject({ code });
  });
});

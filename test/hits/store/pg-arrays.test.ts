/** PostgreSQL reads the encoded arrays. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  int8Array,
  byteaArray,
  int4Array,
  textArray,
  timestamptzArray,
  int8ArrayOfWords,
} from '../../../src/hits/store/pg-arrays.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';

const MAX = Number.MAX_SAFE_INTEGER;

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database?.close());

async function read(type: string, array: Buffer): Promise<unknown[]> {
  const { rows } = await database.db.$client.query<{ value: unknown }>(
    `select value from unnest($1::${type}[]) with ordinality as t (value, place) order by place`,
    [array],
  );
  return rows.map(({ value }) => value);
}

test.each([
  ['int', int4Array, [0, 1, -1, 2_147_483_647, -2_147_483_648]],
  ['bigint', int8Array, [0, -1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 33) - 5, MAX, -MAX]],
  ['text', textArray, ['', 'production', '{"DE":1}', 'a"b\\c', 'Ä€😀', '{},NULL']],
  ['bytea', byteaArray, [Buffer.alloc(0), Buffer.from([0, 255, 92, 120]), Buffer.alloc(20_000, 7)]],
] as [string, (values: unknown[]) => Buffer, unknown[]][])(
  '%s arrays keep their values',
  async (type, encode, values) => {
    expect(await read(type, encode(values))).toEqual(values);
    expect(await read(type, encode([]))).toEqual([]);
  },
);

test('timestamps are exact to the millisecond, also before 2000', async () => {
  const moments = [
    '1969-12-31T23:59:59.999Z',
    '1999-12-31T23:59:59.001Z',
    '2000-01-01T00:00:00.000Z',
    '2031-03-05T12:34:56.789Z',
  ];
  const found = await read('timestamptz', timestamptzArray(moments.map((moment) => Date.parse(moment))));
  expect(found.map((time) => (time as Date).toISOString())).toEqual(moments);
});

test('pairs of words become 64-bit values, whether the words are signed or not', async () => {
  const pairs = [0, 0, 0, 1, 1, 0, -1, -1, 0xffffffff, 0xfffffffe, 0x80000000, 5];
  const found = await read('bigint', int8ArrayOfWords(pairs));
  expect(found).toEqual([0, 1, 2 ** 32, -1, -2, Number(-(2n ** 63n) + 5n)]);
});

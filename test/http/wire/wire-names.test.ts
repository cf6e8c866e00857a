import { expect, test } from 'vitest';
import { z } from 'zod';
import { bodyObject, Timestamp } from '../../../src/http/wire/fields.ts';
import { camelName, namesFromWire, namesToWire, wireWriter } from '../../../src/http/wire/wire-names.ts';

const at = new Date('2026-11-20T10:00:00Z');
const Id = z.codec(z.string(), z.int(), { decode: Number, encode: String });
const Resource = z.object({
  website_id: Id,
  last_hit_at: Timestamp.nullable(),
  redirect_to: z.object({ status_code: z.int() }).nullable().optional(),
  hop_list: z.array(z.object({ final_url: z.string() })),
  by_field: z.record(z.string(), z.object({ old_path: z.string() })),
});

test('each part of a name but the first begins with a capital', () => {
  expect(['id', 'old_path', 'is_regex', 'top_10_hosts'].map(camelName)).toEqual([
    'id',
    'oldPath',
    'isRegex',
    'top10Hosts',
  ]);
});

test('a decoded body has the names of code at every depth, but the keys of a record stay', () => {
  const wire = {
    website_id: 7,
    last_hit_at: at,
    redirect_to: { status_code: 301 },
    hop_list: [{ final_url: '/a' }],
    by_field: { new_path: { old_path: '/b' } },
  };
  const code = namesFromWire(Resource)(wire);
  expect(code).toEqual({
    websiteId: 7,
    lastHitAt: at,
    redirectTo: { statusCode: 301 },
    hopList: [{ finalUrl: '/a' }],
    byField: { new_path: { oldPath: '/b' } },
  });
  expect(namesToWire(Resource)(code)).toEqual(wire);
});

test('a field that the body does not have stays absent', () => {
  const Body = bodyObject({ old_path: z.string().optional(), notes: z.string().nullable().optional() });
  expect(namesFromWire(Body)({ notes: null })).toStrictEqual({ notes: null });
});

test('a response has the fields of its schema, in that order, and no others', () => {
  const row = { hopList: [], byField: {}, keyHash: 'secret', lastHitAt: null, websiteId: 7 };
  expect(JSON.stringify(namesToWire(Resource)(row))).toBe(
    '{"website_id":7,"last_hit_at":null,"hop_list":[],"by_field":{}}',
  );
});

test('a writer also encodes the values: ids as text, times in whole seconds', () => {
  const row = { websiteId: 7, lastHitAt: new Date('2026-11-20T10:00:00.987Z'), hopList: [], byField: {} };
  expect(wireWriter(Resource)(row)).toEqual(z.encode(Resource, namesToWire(Resource)(row)));
  expect(wireWriter(Resource)(row)).toMatchObject({ website_id: '7', last_hit_at: '2026-11-20T10:00:00Z' });
});

test('a union of objects is rejected when its route is registered', () => {
  const Either = z.union([z.object({ old_path: z.string() }), z.object({ new_path: z.string() })]);
  expect(() => namesToWire(Either)).toThrow('a union of objects');
});

test('fields that are required again are converted, and a schema that cannot be is an error at the start', () => {
  const Changed = Resource.pick({ website_id: true, redirect_to: true }).partial().required({ website_id: true });
  const change = { websiteId: 7, redirectTo: { statusCode: 301 } };
  expect(wireWriter(Changed)(change)).toEqual({ website_id: '7', redirect_to: { status_code: 301 } });
  const Pair = z.tuple([z.object({ old_path: z.string() }), z.string()]);
  expect(() => namesFromWire(z.object({ pair: Pair }))).toThrow('a schema of type tuple');
});

import { describe, expect, test } from 'vitest';
import { encodeCursor } from '../../../src/platform/cursor.ts';
import {
  decodePosition,
  encodePosition,
  type HitSort,
  type Position,
  type Sort,
} from '../../../src/redirects/list/page.ts';

const window = { environment: 'production', days: 30, now: new Date('2030-05-15T12:00:00Z') } as const;
const byHits: HitSort = { field: 'hits', descending: true, window };
const byLastHit: HitSort = { field: 'last_hit_at', descending: false, window };
const byTime: Sort = { field: 'updated_at', descending: true };

describe('a cursor', () => {
  test.each<[Sort, Position]>([
    [
      { field: 'id', descending: true },
      { value: 5, id: 5 },
    ],
    [
      { field: 'old_path', descending: false },
      { value: '/caf%C3%A9"', id: 5 },
    ],
    [byTime, { value: '2030-01-01T00:00:00.123Z', id: 5 }],
    [byHits, { value: 12, id: 5, preceding: 100 }],
    [byHits, { value: null, id: 5, preceding: 100 }],
    [byLastHit, { value: 1_905_076_800_000_123, id: 5, preceding: 1 }],
  ])('of %j returns its position', (sort, position) => {
    expect(decodePosition(encodePosition(position, sort), sort)).toEqual({ preceding: 0, ...position });
  });

  test.each<[string, Sort]>([
    ['another direction', { ...byHits, descending: false }],
    ['another field', byLastHit],
    ['another environment', { ...byHits, window: { ...window, environment: 'staging' } }],
    ['another period', { ...byHits, window: { ...window, days: 7 } }],
  ])('of %s is invalid', (_, sort) => {
    const cursor = encodePosition({ value: 12, id: 5 }, byHits);
    expect(() => decodePosition(cursor, sort)).toThrow('The cursor is not valid');
  });

  test('by last hit does not depend on the period', () => {
    const cursor = encodePosition({ value: 12, id: 5 }, byLastHit);
    expect(decodePosition(cursor, { ...byLastHit, window: { ...window, days: 7 } }).id).toBe(5);
  });

  test.each([
    ['an empty list', []],
    ['no id', ['2030-01-01T00:00:00.000Z']],
    ['an id that is a text', ['2030-01-01T00:00:00.000Z', '5']],
    ['an extra value', ['2030-01-01T00:00:00.000Z', 5, 0, 1]],
    ['a negative count', ['2030-01-01T00:00:00.000Z', 5, -1]],
    ['a year alone', ['2030', 5]],
    ['the year 0', ['0000-01-01T00:00:00.000Z', 5]],
    ['a time without value', [null, 5]],
  ])('with %s is invalid', (_, position) => {
    const cursor = encodeCursor('-updated_at', position);
    expect(() => decodePosition(cursor, byTime)).toThrow('The cursor is not valid');
  });

  test('with a zero byte in the path is invalid, because PostgreSQL rejects it', () => {
    const cursor = encodeCursor('old_path', ['/a\0', 5]);
    expect(() => decodePosition(cursor, { field: 'old_path', descending: false })).toThrow();
  });
});

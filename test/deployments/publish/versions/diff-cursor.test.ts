import { expect, test } from 'vitest';
import { decodeDiffCursor, encodeDiffCursor } from '../../../../src/deployments/publish/versions/diff-cursor.ts';
import { encodeCursor } from '../../../../src/platform/cursor.ts';

const list = {
  websiteId: 7,
  environment: 'production',
  from: 3,
  to: 'draft',
  histories: ['h3', ''],
  q: 'a b',
} as const;
const position = { rev: 12, maxId: 900, after: [1, 2, 3], counts: [10, 20, 30, 5, 2] };

test('a cursor decodes to the position that it encodes', () => {
  expect(decodeDiffCursor(encodeDiffCursor(position, list), list, 12)).toEqual(position);
  expect(decodeDiffCursor(encodeDiffCursor(position, list), list, 99)).toEqual(position);
});

test.each([
  ['another website', encodeDiffCursor(position, { ...list, websiteId: 8 })],
  ['another environment', encodeDiffCursor(position, { ...list, environment: 'staging' })],
  ['a replaced live version', encodeDiffCursor(position, { ...list, from: 2 })],
  ['another history of the live version', encodeDiffCursor(position, { ...list, histories: ['h4', ''] })],
  ['another second version', encodeDiffCursor(position, { ...list, to: 4 })],
  ['another kind', encodeDiffCursor(position, { ...list, kind: 'added' })],
  ['another text', encodeDiffCursor(position, { ...list, q: '' })],
  ['a future revision', encodeDiffCursor({ ...position, rev: 13 }, list)],
  ['a negative id', encodeDiffCursor({ ...position, after: [1, -2, 3] }, list)],
  ['too few numbers', encodeCursor('7 production 3 draft h3, a b', [12, 900])],
  ['text', 'not a cursor'],
])('a cursor of %s is invalid', (_, cursor) => {
  expect(() => decodeDiffCursor(cursor, list, 12)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
});

test('before the first deployment any change ends the list', () => {
  const undeployed = { ...list, from: 0 } as const;
  const cursor = encodeDiffCursor(position, undeployed);
  expect(decodeDiffCursor(cursor, undeployed, 12)).toEqual(position);
  expect(() => decodeDiffCursor(cursor, undeployed, 13)).toThrow(
    expect.objectContaining({ code: 'INVALID_PARAMETER' }),
  );
});

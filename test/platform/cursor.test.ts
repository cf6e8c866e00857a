import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../src/platform/cursor.ts';

const decode = (cursor: string): unknown => decodeCursor(cursor, 'list', (values) => values);

test('a cursor decodes to the position that it encodes', () => {
  const position = [1, 'ü"', null, true];
  expect(decode(encodeCursor('list', position))).toEqual(position);
});

test.each([
  ['of another list', encodeCursor('other', [1])],
  ['that is cut', encodeCursor('list', ['position']).slice(0, -4)],
  ['that is no list', Buffer.from('{"0": "list"}').toString('base64url')],
  ['that is a text', 'not a cursor'],
])('a cursor %s is rejected', (_, cursor) => {
  expect(() => decode(cursor)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
});

test('a position that does not fit is rejected with the remedy', () => {
  expect(() => decodeCursor(encodeCursor('list', [1]), 'list', () => undefined, 'start again')).toThrow(
    expect.objectContaining({ details: 'cursor: start again' }),
  );
});

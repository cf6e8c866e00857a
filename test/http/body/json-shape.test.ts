import { expect, test } from 'vitest';
import { assertJsonShape } from '../../../src/http/body/json-shape.ts';

const list = (count: number, item: (n: number) => string): string =>
  `{"a":[${Array.from({ length: count }, (_, n) => item(n)).join(',')}]}`;
const fields = (count: number): string => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;
const check = (text: string) => () => assertJsonShape(Buffer.from(text));

test('the largest bodies that a route takes pass', () => {
  expect(check(list(10_000, (n) => `{"hostname":"h${n}.example","environment":"production"}`))).not.toThrow();
  expect(check(list(10_000, (n) => `"${n}"`))).not.toThrow();
  expect(check(`{"notes":"${'{[,:\\"'.repeat(100_000)}"}`)).not.toThrow();
});

test.each([
  ['90,000 fields of one object', fields(90_000), 'more than 1,000 fields'],
  ['350,000 empty objects', list(350_000, () => '{}'), 'too many values'],
  ['500,000 numbers', list(500_000, () => '1'), 'too many values'],
  ['fields of many objects', list(100, () => fields(999)), 'too many values'],
])('%s are 413', (_name, text, reason) => {
  expect(check(text)).toThrow(
    expect.objectContaining({ code: 'BODY_TOO_LARGE', details: expect.stringContaining(reason) }),
  );
});

test('500,000 levels are 400', () => {
  const details = expect.stringContaining('nested more than 100 levels');
  expect(check('['.repeat(500_000))).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER', details }));
});

test('a string that does not end is for the parser to reject', () => {
  expect(check(`{"a":"${'x'.repeat(100_000)}`)).not.toThrow();
});

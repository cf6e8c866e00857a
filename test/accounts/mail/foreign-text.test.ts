import { expect, test } from 'vitest';
import { foreignText } from '../../../src/accounts/mail/foreign-text.ts';

/** `|` is U+200B. */
test.each([
  ['/sale?x=1&y=2', '/sale?x=1&y=2'],
  ['https://evil.example/a', 'https:|//evil.|example/a'],
  ['www.evil.example', 'www.|evil.|example'],
  ['1.2.3.4', '1.|2.|3.|4'],
  ['evil。example', 'evil。|example'],
  ['💩.la', '💩.|la'],
  ['mailto:jo', 'mailto:|jo'],
  ['jo@evil.example', 'jo@|evil.|example'],
  ['@everyone #general', '@|everyone #|general'],
  ['It failed. At 08:00: why', 'It failed. At 08:00: why'],
  ['a\r\n\r\nb\u2028c\u202ed\u200be\u00adf\u0000', 'a b c d e f'],
  ['lone \ud800', 'lone \ufffd'],
])('%j is written as %j', (text, written) => {
  expect(foreignText(text).replaceAll('\u200b', '|')).toBe(written);
});

test('a text has at most 200 characters, with an ellipsis; no character is cut in two', () => {
  expect(foreignText('a'.repeat(200))).toBe('a'.repeat(200));
  expect(foreignText('a'.repeat(201))).toBe(`${'a'.repeat(199)}…`);
  expect(foreignText('💩'.repeat(201))).toBe(`${'💩'.repeat(199)}…`);
  expect(foreignText('abcdef', 3)).toBe('ab…');
});

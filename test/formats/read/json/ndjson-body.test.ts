import { expect, test } from 'vitest';
import { type Line, type LineBatch, readNdjsonBody } from '../../../../src/formats/read/json/ndjson-body.ts';
import { longestTurnMs } from '../csv/loop-turns.ts';
import { bodyOf } from './body.ts';

async function read(content: string | Buffer, size?: number): Promise<{ lines: Line[]; blank: number }> {
  const all: LineBatch = { lines: [], blank: 0 };
  for await (const { lines, blank } of readNdjsonBody(bodyOf(content, size))) {
    all.lines.push(...lines);
    all.blank += blank;
  }
  return all;
}

test.each([1, 2, 7, 1_000])(
  'lines in chunks of %i bytes are read, blank ones counted, the last without line end',
  async (size) => {
    const content = '{"a":1}\r\n\n  \n\u3000\n{"é":"\u2028"}\n"x"';
    const lines = [{ value: { a: 1 } }, { value: { é: '\u2028' } }, { value: 'x' }];
    expect(await read(content, size)).toEqual({ lines, blank: 3 });
  },
);

test('an invalid line is one problem, and the next lines are read', async () => {
  const content = Buffer.concat([Buffer.from('{a}\n"'), Buffer.from([0xff]), Buffer.from('"\n1\n')]);
  expect((await read(content)).lines).toEqual([
    { problem: 'the line is not JSON' },
    { problem: 'the line is not valid UTF-8' },
    { value: 1 },
  ]);
});

test('a line longer than 64 KiB is one problem, however many chunks it has', async () => {
  const long = `"${'x'.repeat(300_000)}"`;
  expect((await read(`1\n${long}\n2\n${long}`, 10_000)).lines).toEqual([
    { value: 1 },
    { problem: 'the line is longer than 64 KiB' },
    { value: 2 },
    { problem: 'the line is longer than 64 KiB' },
  ]);
});

test.each([
  ['line feeds', '\n', 5_000_000],
  ['spaces', ' ', 5_000_000],
  ['lines of one number', '1\n', 200_000],
  ['lines that are not UTF-8', Buffer.from([0xff, 0x0a]), 200_000],
  ['long lines of spaces', `${' '.repeat(60_000)}\n`, 100],
])('%s never hold the event loop for long', async (_name, piece, times) => {
  const body = bodyOf(Buffer.alloc(times * piece.length, piece));
  const longestMs = await longestTurnMs(async () => {
    for await (const _batch of readNdjsonBody(body));
  });
  expect(longestMs).toBeLessThan(50);
});

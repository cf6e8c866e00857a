import { expect, test } from 'vitest';
import { type Line, readNdjsonBody } from '../../../src/redirects/read-json/ndjson-body.ts';
import { bodyOf } from './body.ts';

async function read(content: string | Buffer, size?: number): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const batch of readNdjsonBody(bodyOf(content, size))) lines.push(...batch);
  return lines;
}

test.each([1, 2, 7, 1_000])(
  'lines in chunks of %i bytes are read, blank ones omitted, the last without line end',
  async (size) => {
    expect(await read('{"a":1}\r\n\n  \n{"é":"\u2028"}\n"x"', size)).toEqual([
      { value: { a: 1 } },
      { value: { é: '\u2028' } },
      { value: 'x' },
    ]);
  },
);

test('an invalid line is one problem, and the next lines are read', async () => {
  const content = Buffer.concat([Buffer.from('{a}\n"'), Buffer.from([0xff]), Buffer.from('"\n1\n')]);
  expect(await read(content)).toEqual([
    { problem: 'the line is not JSON' },
    { problem: 'the line is not valid UTF-8' },
    { value: 1 },
  ]);
});

test('a line longer than 64 KiB is one problem, however many chunks it has', async () => {
  const long = `"${'x'.repeat(300_000)}"`;
  expect(await read(`1\n${long}\n2\n${long}`, 10_000)).toEqual([
    { value: 1 },
    { problem: 'the line is longer than 64 KiB' },
    { value: 2 },
    { problem: 'the line is longer than 64 KiB' },
  ]);
});

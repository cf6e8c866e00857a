import { expect, test } from 'vitest';
import { type FileEntry, readJsonEntries, recognizeJson } from '../../../../src/formats/read/json/json-file.ts';
import { textFile } from '../servers/read.ts';

test.each([
  ['{"export_id": "e", "redirects": []}', 'json'],
  ['[{"old_path": "/a"}]', 'json'],
  ['{"redirects": [{"old_path": "/a"}]}', 'json'],
  ['{"website_id": 7, "redirects": []}', 'json'],
  ['{"old_path": "/a"}\n', 'ndjson'],
  ['{"redirects": [{"source": "/a"}]}', 'other'],
  ['[{"source": "/a"}]', 'other'],
  ['{"note": "\\"old_path\\": is no field"}', 'other'],
  ['/a,/b\n', undefined],
])('the format of %s is %s', async (text, format) => {
  expect(await recognizeJson(await textFile(text))).toBe(format);
});

async function read(format: 'json' | 'ndjson', text: string) {
  const taken: Record<string, unknown> = {};
  const entries: FileEntry[] = [];
  const fields = { assertKnown: () => {}, take: (field: string, value: unknown) => void (taken[field] = value) };
  for await (const batch of readJsonEntries({ ...(await textFile(text)), format }, fields)) entries.push(...batch);
  return { taken, entries };
}

test('entries of a list are counted, and the other fields are taken', async () => {
  expect(await read('json', '{"version": 3,\n"redirects": [{"old_path": "/a"}, 7]}')).toEqual({
    taken: { version: 3 },
    entries: [
      { line: 1, value: { old_path: '/a' } },
      { line: 2, value: 7 },
    ],
  });
});

test('entries of lines have the line of the file, and a line that is not JSON says what to write', async () => {
  const { entries } = await read('ndjson', '{"old_path": "/a"}\n\n{"old_path"\n8\n');
  expect(entries).toEqual([
    { line: 1, value: { old_path: '/a' } },
    { line: 3, text: '{"old_path"', problem: expect.stringContaining('write one redirect as') },
    { line: 4, value: 8 },
  ]);
});

test.each([
  ['{"version": 3}', 'has no list of redirects'],
  ['[{"old_path": ', 'the JSON cannot be read'],
])('the file %s is rejected, and not as a body', async (text, message) => {
  await expect(read('json', text)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    issues: [{ path: 'file', message: expect.stringContaining(message) }],
  });
});

import { describe, expect, test } from 'vitest';
import { csvCell, csvFormat } from '../../../src/formats/write/csv.ts';
import { jsonFormat, ndjsonFormat } from '../../../src/formats/write/json.ts';
import type { ExportedRow } from '../../../src/formats/write/lossless-format.ts';
import { createRowReader } from '../../../src/redirects/export/rows.ts';

const [row] = createRowReader()(
  Buffer.from(
    '7\t/a "b"\t\t410\tt\tspring\tone\\ntwo\t12\t12\t0\t3\t2026-03-01 10:00:00.5+00\t2030-01-01 00:00:00.12+00\t\n',
  ),
) as [ExportedRow];

test('a row of COPY text becomes a redirect', () => {
  expect(row).toEqual({
    id: '7',
    oldPath: '/a "b"',
    newPath: null,
    statusCode: '410',
    isRegex: true,
    groupId: 'spring',
    notes: 'one\ntwo',
    rev: '12',
    targets: '12 0 3',
    environments: ['production', 'development'],
    createdAt: '2026-03-01T10:00:00Z',
    activeFrom: '2030-01-01T00:00:00Z',
    activeUntil: null,
  });
});

test('neighbours with equal targets and times share their values', () => {
  const line = (id: number, inDev: number) =>
    `${id}\t/a\t/b\t301\tf\t\t\t1\t1\t0\t${inDev}\t2026-03-01 10:00:00+00\t\t\n`;
  const [one, two, three] = createRowReader()(Buffer.from(line(1, 0) + line(2, 0) + line(3, 4)));
  expect(two?.environments).toBe(one?.environments);
  expect(three).toMatchObject({ environments: ['production', 'development'], targets: '1 0 4' });
});

describe('an entry', () => {
  test('of JSON is valid, with every field', () => {
    expect(JSON.parse(jsonFormat.entry(row, null))).toEqual({
      id: '7',
      old_path: '/a "b"',
      new_path: null,
      status_code: 410,
      group_id: 'spring',
      created_at: '2026-03-01T10:00:00Z',
      deployed_to_prod: null,
      is_regex: true,
      target_environments: ['production', 'development'],
      notes: 'one\ntwo',
      active_from: '2030-01-01T00:00:00Z',
      active_until: null,
    });
  });

  test('of a draft has no environments', () => {
    const draft = { ...row, environments: [] };
    expect(JSON.parse(jsonFormat.entry(draft, null)).target_environments).toEqual([]);
    expect(csvFormat.entry(draft, null)).toContain(',410,true,,spring,');
  });

  test('of NDJSON is the JSON entry in one line', () => {
    const time = '2026-03-02T00:00:00Z';
    expect(ndjsonFormat.entry(row, time)).toBe(`${jsonFormat.entry(row, time)}\n`);
  });

  test('of CSV quotes cells', () => {
    expect(csvFormat.entry(row, '2026-03-02T00:00:00Z')).toBe(
      '"/a ""b""",,410,true,"production,development",spring,"one\ntwo",2030-01-01T00:00:00Z,,' +
        '7,2026-03-01T10:00:00Z,2026-03-02T00:00:00Z\n',
    );
  });
});

test.each([
  [null, ''],
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['=1+1', ' =1+1'],
  ['@a,b', '" @a,b"'],
  ['a=b', 'a=b'],
])('the cell %j is written as %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

/** The round trip of a move through a spreadsheet. Holds moves/rows/export-rows.ts and moves/decide/import-rows.ts. */
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unguardCell } from '../../src/moves/rows/export-rows.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { countsOf, storeMove, type StoredMoveRow } from '../support/moves.ts';
import { createSite } from '../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let site: number;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  site = await createSite(owner, ['sheet.example']);
});
afterAll(() => detour.stop());

async function newMove(rows: StoredMoveRow[]) {
  const id = await storeMove(detour.db, site, { rows });
  const path = `/api/v1/websites/${site}/moves/${id}`;
  const send = async (body: string | FormData | Uint8Array<ArrayBuffer>) => {
    const headers = {
      authorization: `Bearer ${owner.key}`,
      ...(typeof body === 'string' && { 'content-type': 'text/csv' }),
    };
    const response = await fetch(`${detour.address}${path}/import`, { method: 'POST', headers, body });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in detour.ts
    return { status: response.status, body: (await response.json()) as any };
  };
  return {
    id,
    send,
    decide: (body: unknown) => owner.keyCall('PUT', `${path}/rows`, body),
    decisions: async () => {
      const { body } = await owner.keyCall('GET', `${path}/rows?sort=url`);
      return (body.rows as Record<string, unknown>[]).map((row) => [
        row['url'],
        row['decision'],
        row['target'],
        row['status_code'],
        row['revision'],
      ]);
    },
    sheet: async (query = '') => (await owner.keyCall('GET', `${path}/export?format=csv${query}`)).text,
  };
}

const HEADER = 'url,decision,target,status_code,revision\n';
const rowsOf = (sheet: string) => parse<Record<string, string>>(sheet, { columns: true });

const TITLES = [
  'a "quoted" title, with a comma',
  'two\nlines\r\nand three',
  '=1+1',
  '+49 30',
  '-5 °C',
  '@home',
  '\ttab',
  '\rreturn',
  "'quoted'",
  "''twice",
  ';',
];

test('a spreadsheet has every cell, and changes nothing when it comes back', async () => {
  const move = await newMove(
    TITLES.map((title, at) => ({ url: `/p/${at}?q=%22,'&x=${at}`, title, weight: 100 - at, targets: ['/new', '/x'] })),
  );
  await move.decide({
    rows: [
      { url: `/p/0?q=%22,'&x=0`, decision: 'redirect', target: '/new?a="b",c', status_code: 302, revision: 0 },
      { url: `/p/1?q=%22,'&x=1`, decision: 'gone', status_code: 451, revision: 0 },
      { url: `/p/2?q=%22,'&x=2`, decision: 'keep', revision: 0 },
    ],
  });
  const sheet = await move.sheet();
  const rows = rowsOf(sheet);
  expect(rows.map(({ title = '' }) => unguardCell(title))).toEqual(TITLES);
  expect(rows.filter(({ title = '' }) => /^[=+\-@\t\r]/.test(title))).toEqual([]);
  const decided = { decision: 'redirect', target: '/new?a="b",c', status_code: '302', revision: '1' };
  expect(rows[0]).toMatchObject({
    ...decided,
    suggestions: '/new /x',
    decided_by: expect.stringMatching(/./),
    weight: '100',
  });
  expect(rows[3]).toMatchObject({ decision: '', target: '', status_code: '', decided_by: '', decided_at: '' });
  const before = await move.decisions();
  expect(await move.send(sheet)).toEqual({ status: 200, body: { updated: 0, conflicts: [], conflict_count: 0 } });
  expect(await move.decisions()).toEqual(before);
  expect(rowsOf(await move.sheet('&decision=gone'))).toHaveLength(1);
});

test('decisions in it are applied, unless the row was changed since', async () => {
  const move = await newMove([
    { url: '/a', weight: 3 },
    { url: '/b', weight: 2 },
    { url: '/c', weight: 1 },
    { url: '/d' },
  ]);
  await move.decide({ filter: { q: '/a' }, decision: 'keep' });
  // As a spreadsheet of another language saves it, with a column of notes.
  const text = [
    'note;URL;decision;target;status_code;revision',
    // The stored decision, with an earlier revision.
    'x;/a;keep;;;0',
    'x;/b;Redirect;https://sheet.example/new;301;0',
    ';/c;gone;;;7',
    ';/d;;;;0',
    ';/e;skip;;;0',
    ';;;;;',
  ].join('\r\n');
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(utf16)]), 'move.csv');
  const { status, body } = await move.send(form);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    updated: 1,
    conflicts: [
      { url: '/c', code: 'ROW_CHANGED', row: { decision: null, revision: 0 } },
      { url: '/e', code: 'ROW_CHANGED', row: null },
    ],
    conflict_count: 2,
  });
  expect(await move.decisions()).toEqual([
    ['/a', 'keep', null, null, 1],
    ['/b', 'redirect', '/new', 301, 1],
    ['/c', null, null, null, 0],
    ['/d', null, null, null, 0],
  ]);
  const { stored, counted } = await countsOf(detour.db, move.id);
  expect(stored).toEqual(counted);
  expect(stored).toEqual({ decided: 2, weight: 5 });
});

test('a file with an invalid row is rejected as a whole, with its line', async () => {
  const move = await newMove([{ url: '/a' }, { url: '/b' }]);
  const wrong: [string, number, string, string][] = [
    ['/a,keep,,,0\n/b,redirect,,,0\n', 422, 'VALIDATION_ERROR', 'line 3, target'],
    ['/a,keep,,,0\n/b,redirect,https://elsewhere.example/,,0\n', 422, 'VALIDATION_ERROR', 'line 3, target'],
    ['/a,keep,,,0\n/b,perhaps,,,0\n', 422, 'VALIDATION_ERROR', 'line 3, decision'],
    ['/a,keep,,,0\n/b,gone,,41,0\n', 422, 'VALIDATION_ERROR', 'line 3, status_code'],
    ['/a,keep,,,0\n/b,keep,,,\n', 400, 'INVALID_PARAMETER', 'line 3, revision'],
    ['/a,keep,,,0\n/a,gone,,,0\n', 422, 'VALIDATION_ERROR', 'line 3, url'],
    ['/a,keep,,,0\n/b,"ke"ep,,,0\n', 422, 'VALIDATION_ERROR', 'line 3'],
  ];
  for (const [rows, status, code, path] of wrong) {
    const found = await move.send(HEADER + rows);
    expect([rows, found.status, found.body.code, found.body.issues[0].path]).toEqual([rows, status, code, path]);
  }
  expect((await move.send('url,decision,target,revision\n/a,keep,,0\n')).body).toMatchObject({
    code: 'MISSING_COLUMN',
  });
  expect((await move.send(HEADER.replace('target', 'url'))).body).toMatchObject({ code: 'DUPLICATE_COLUMN' });
  expect((await move.send('')).body).toMatchObject({ code: 'EMPTY_BODY' });
  expect(await move.decisions()).toEqual([
    ['/a', null, null, null, 0],
    ['/b', null, null, null, 0],
  ]);
});

/** Imports a real file: 4,735 redirects of a large documentation site, as its editors wrote them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { until } from '../support/wait.ts';

const FILE = join(import.meta.dirname, '..', 'fixtures', 'windows-driver-docs.csv');
const HOST = 'docs.example.com';

interface ImportAnswer {
  imported: number;
  skipped: number;
  error_count: number;
  errors: { line: number; column: string; code: string; message: string }[];
  deployments: string[];
}

interface Row {
  line: number;
  oldPath: string;
  newPath: string;
  status: number;
}

let detour: TestDetour;
let owner: TestAccount;

/** Reads the file without the parser under test: it has no quoted cells. */
function readFile(): Row[] {
  const lines = readFileSync(FILE, 'utf8').trimEnd().split(/\r?\n/).slice(1);
  return lines.map((text, index) => {
    const [oldPath = '', newPath = '', status = ''] = text.split(',').map((cell) => cell.trim());
    return { line: index + 2, oldPath, newPath, status: Number(status) };
  });
}

async function importInto(websiteId: number): Promise<ImportAnswer> {
  const form = new FormData();
  form.set('website_id', String(websiteId));
  form.set('file', new Blob([readFileSync(FILE)]), 'windows-driver-docs.csv');
  const answer = await owner.call<ImportAnswer>('POST', '/api/redirects/import', form);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function deployed(ids: string[]): Promise<void> {
  for (const id of ids) {
    await until(async () => (await owner.call('GET', `/api/deployments/${id}`)).body.deployment.status === 'completed');
  }
}

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(() => detour.stop());

describe('importing the real file', () => {
  const rows = readFile();
  let answer: ImportAnswer;

  beforeAll(async () => {
    const hosts = [{ hostname: HOST, environment: 'production' }];
    const { body } = await owner.call('POST', '/api/websites', { name: 'Windows drivers', hosts });
    answer = await importInto(body.website.id);
    await deployed(answer.deployments);
  });

  test('every row is accounted for: 4,700 imported, 1 skipped, 34 with errors', () => {
    expect(rows).toHaveLength(4_735);
    expect(answer).toMatchObject({ imported: 4_700, skipped: 1, error_count: 34 });
    expect(answer.errors).toHaveLength(34);
  });

  test('every error names its line and its reason', () => {
    const byCode = (code: string) => answer.errors.filter((error) => error.code === code).map((error) => error.line);
    const linesOf = (is: (row: Row) => boolean) => rows.filter(is).map((row) => row.line);
    expect(byCode('TARGET_HOST_NOT_ALLOWED')).toEqual(linesOf((row) => row.newPath.startsWith('https://')));
    expect(byCode('TARGET_HOST_NOT_ALLOWED')).toHaveLength(31);
    expect(byCode('INVALID_NEW_PATH')).toEqual(linesOf((row) => !/^(\/|https:)/.test(row.newPath)));
    expect(byCode('REDIRECT_LOOP')).toEqual(linesOf((row) => row.oldPath === row.newPath));
    expect(byCode('REDIRECT_LOOP')).toHaveLength(2);
    for (const error of answer.errors) expect(error.message.length).toBeGreaterThan(10);
  });

  test('every imported redirect responds with its status and target, also with or without the final slash', async () => {
    const rejected = new Set(answer.errors.map((error) => error.line));
    const first = new Map<string, Row>();
    for (const row of rows) if (!rejected.has(row.line) && !first.has(row.oldPath)) first.set(row.oldPath, row);
    expect(first.size).toBe(4_700);
    let twins = 0;
    for (const [path, row] of first) {
      const visit = await detour.visit(HOST, path);
      expect([path, visit.status, visit.location]).toEqual([path, row.status, row.newPath]);
      const twin = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
      if (first.has(twin) || row.newPath === twin) continue;
      twins++;
      const other = await detour.visit(HOST, twin);
      expect([twin, other.status, other.location]).toEqual([twin, row.status, row.newPath]);
    }
    expect(twins).toBeGreaterThan(4_000);
  });
});

test('absolute targets are imported and served if their hosts are allowed', async () => {
  const { body } = await owner.call('POST', '/api/websites', {
    name: 'with targets on other hosts',
    hosts: [{ hostname: 'elsewhere.example.com', environment: 'production' }],
    allowed_target_hosts: ['support.microsoft.com', 'techcommunity.microsoft.com'],
  });
  const answer = await importInto(body.website.id);
  expect(answer).toMatchObject({ imported: 4_731, skipped: 1, error_count: 3 });
  await deployed(answer.deployments);
  for (const row of readFile().filter((each) => each.newPath.startsWith('https://'))) {
    expect((await detour.visit('elsewhere.example.com', row.oldPath)).location).toBe(row.newPath);
  }
});

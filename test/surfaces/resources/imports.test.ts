/**
 * Imports in the key API: newest first, with string ids, and only those of the account. Holds the rules of
 * src/surfaces/resources/imports/imports.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSite } from '../../support/site.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { expectStatus } from '../../support/expect-status.ts';

let detour: TestDetour;
let owner: TestAccount;
let websiteId: number;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  websiteId = await createSite(owner, ['imports.example.com']);
});
afterAll(() => detour.stop());

/** Imports a file through the session API and returns the import's id. */
async function importFile(csv: string, options = ''): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([csv]), 'redirects.csv');
  const answer = await owner.call('POST', `/api/redirects/import?website_id=${websiteId}${options}`, form);
  expectStatus(answer, 200);
  return answer.body.import_id;
}

const list = async (query = ''): Promise<{ id: string }[]> =>
  (await owner.keyCall('GET', `/api/v1/imports?website_id=${websiteId}${query}`)).body.imports;

test('a website without imports has an empty list', async () => {
  expect(await list()).toEqual([]);
});

test('imports are listed newest first, each as in its own response', async () => {
  const first = await importFile('old_path,new_path\n/a,/b\n/c,c\n');
  const second = await importFile('old_path,new_path\n/a,/b\n/d,/e\n', '&dry_run=true');
  const imports = await list();
  expect(imports.map(({ id }) => id)).toEqual([second, first]);
  expect(imports[1]).toEqual({
    id: first,
    website_id: String(websiteId),
    source: 'csv',
    status: 'completed',
    dry_run: false,
    progress: { received: 2, bytes: expect.any(Number) },
    summary: { total_submitted: 2, created: 1, updated: 0, skipped: 0, errors: 1 },
    change_id: expect.stringMatching(/^chg_/),
    undone_by: null,
    file_name: 'redirects.csv',
    actor: { type: 'user', id: expect.stringMatching(/^\d+$/), name: expect.stringContaining('@') },
    error: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  });
  expect(imports[0]).toMatchObject({ dry_run: true, summary: { created: 1, skipped: 1 } });
  const one = await owner.keyCall('GET', `/api/v1/imports/${first}`);
  expect([one.status, one.body.import]).toEqual([200, imports[1]]);
  expect(await list('&limit=1')).toEqual([imports[0]]);
  expect(await list('&dry_run=false')).toEqual([imports[1]]);
  expect(await list('&dry_run=true')).toEqual([imports[0]]);
});

test('an import that was undone names the undo, until the undo is undone', async () => {
  const id = await importFile('old_path,new_path\n/undone,/b\n');
  const undoneBy = async () => (await owner.call('GET', `/api/imports/${id}`)).body.import.undone_by;
  const { body: shown } = await owner.call('GET', `/api/imports/${id}`);
  const { body: undo } = await owner.call('POST', `/api/changes/${shown.import.change_id}/undo`, {});
  expect(await undoneBy()).toBe(undo.change_id);
  // The undo names the file too, in the list of changes and in the history of its redirect.
  const undid = { kind: 'import', counts: { created: 1, updated: 0, deleted: 0 }, file_name: 'redirects.csv' };
  const { change, items } = (await owner.call('GET', `/api/changes/${undo.change_id}`)).body;
  expect(change).toMatchObject({ kind: 'undo', file_name: null, undid });
  const { history } = (await owner.call('GET', `/api/redirects/${items[0].redirect_id}/history`)).body;
  expect(history).toMatchObject([
    { kind: 'undo', undid },
    { kind: 'import', file_name: 'redirects.csv', undid: null },
  ]);
  await owner.call('POST', `/api/changes/${undo.change_id}/undo`, {});
  expect(await undoneBy()).toBeNull();
});

describe('404', () => {
  test('for an import or a website of another account, and for ids that cannot exist', async () => {
    const other = await detour.account();
    const [{ id } = { id: '' }] = await list();
    const codeOf = async (path: string): Promise<unknown> => {
      const { status, body } = await other.keyCall('GET', path);
      return [status, body.code];
    };
    expect(await codeOf(`/api/v1/imports/${id}`)).toEqual([404, 'IMPORT_NOT_FOUND']);
    expect(await codeOf('/api/v1/imports/imp_none')).toEqual([404, 'IMPORT_NOT_FOUND']);
    for (const website of [String(websiteId), 'shop', '0', '1e3', '99999999999', '']) {
      expect(await codeOf(`/api/v1/imports?website_id=${website}`)).toEqual([404, 'WEBSITE_NOT_FOUND']);
    }
  });
});

describe('400', () => {
  test.each([
    ['', 'MISSING_PARAMETER', 'website_id'],
    ['?website_id=1&limit=0', 'INVALID_PARAMETER', 'limit'],
    ['?website_id=1&limit=1001', 'INVALID_PARAMETER', 'limit'],
    ['?website_id=1&page=2', 'INVALID_PARAMETER', 'page'],
  ])('for %j', async (query, code, field) => {
    const { status, body } = await owner.keyCall('GET', `/api/v1/imports${query}`);
    expect([status, body.code]).toEqual([400, code]);
    expect(body.details).toContain(field);
  });
});

/**
 * Imports of files, their rows and the activity by API key: the operations of surface C with string ids. Holds the
 * rules of src/surfaces/resources/imports/file-import-route.ts and import-rows.ts.
 */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../../support/detour.ts';
import { fileForm, newWebsite } from '../../session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let readKey: string;
let id: number;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  id = await newWebsite(owner);
  readKey = await keyOf({ scope: 'read' });
});
afterAll(() => detour.stop());

const FILE = 'old_path,new_path\n/a,/b\n/c,bad target\n';

async function keyOf(input: object): Promise<string> {
  return (await owner.call('POST', '/api/keys', { name: 'k', ...input })).body.api_key.key;
}

async function send(key: string, method: string, path: string, body?: FormData) {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${detour.address}/api/v1${path}`, { method, headers, ...(body && { body }) });
  const text = await answer.text();
  return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
}

const importFile = (key: string, options: Record<string, string>) =>
  send(key, 'POST', '/redirects/import', fileForm(FILE, options));

test('a write key imports a file and reads its errors, the rows of a dry run and the activity', async () => {
  const done = await importFile(owner.key, { website_id: String(id) });
  expect([done.status, done.body.imported, done.body.error_count], done.text).toEqual([200, 1, 1]);
  const errors = await send(readKey, 'GET', `/imports/${done.body.import_id}/errors`);
  expect(errors.text).toBe(
    (await owner.call('GET', `/api/imports/${done.body.import_id}/errors`)).text.replace(/^\uFEFF/, ''),
  );
  const checked = await importFile(readKey, { website_id: String(id), dry_run: 'true', report: 'true' });
  const rows = await send(readKey, 'GET', `/imports/${checked.body.import_id}/rows?verdict=unchanged`);
  const ofSession = await owner.call('GET', `/api/imports/${checked.body.import_id}/rows?verdict=unchanged`);
  const [row] = ofSession.body.rows;
  expect(rows.body).toEqual({ rows: [{ ...row, there: { ...row.there, id: String(row.there.id) } }], total: 1 });
  expect((await send(readKey, 'GET', `/imports/${checked.body.import_id}/report`)).text).toMatch(/^line,verdict,/);
  const { activity } = (await send(readKey, 'GET', `/activity?website_id=${id}&kind=import`)).body;
  expect(activity).toMatchObject([{ change: { id: done.body.change_id, website_id: String(id) } }]);
});

test('the activity has changes of webhooks for a key of the whole account only', async () => {
  const body = { name: 'hook', url: 'https://hooks.example.com/x', events: ['redirect.created'] };
  await owner.keyCall('POST', '/api/webhooks', body);
  const actionsOf = async (key: string): Promise<string[]> =>
    (await send(key, 'GET', `/activity?website_id=${id}&kind=settings`)).body.activity.map(
      ({ settings }: { settings: { action: string } }) => settings.action,
    );
  expect(await actionsOf(readKey)).toEqual(['webhook.created', 'website.created']);
  expect(await actionsOf(await keyOf({ website_ids: [id] }))).toEqual(['website.created']);
});

test('the event types are those of the webhooks', async () => {
  const unversioned = await owner.keyCall('GET', '/api/webhooks/event-types');
  expect((await send(readKey, 'GET', '/webhooks/event-types')).body).toEqual(unversioned.body);
});

test('an import is rejected before its body if the key or the plan does not allow it', async () => {
  const free = await detour.account('free');
  const limited = await keyOf({ website_ids: [id], scope: 'read' });
  const rejected = [
    [readKey, '', 'INSUFFICIENT_SCOPE'],
    [limited, '?dry_run=false', 'INSUFFICIENT_SCOPE'],
    [free.key, '', 'PLAN_REQUIRED'],
  ] as const;
  for (const [key, query, code] of rejected) {
    const answer = await headOf(key, query);
    expect([answer.status, answer.code]).toEqual([403, code]);
  }
  expect(await importFile(readKey, { website_id: String(id) })).toMatchObject({
    status: 403,
    body: { code: 'INSUFFICIENT_SCOPE' },
  });
});

/** The response to a form of 100 MB of which only the head arrives. */
function headOf(key: string, query: string): Promise<{ status: number | undefined; code: string }> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'multipart/form-data; boundary=x',
    'content-length': 100_000_000,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${detour.address}/api/v1/redirects/import${query}`, { method: 'POST', headers });
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode, code: (JSON.parse(text) as { code: string }).code });
        sent.destroy();
      });
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
}

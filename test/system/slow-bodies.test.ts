/** Imports whose bodies arrive slowly: they are listed, and take nothing that other accounts need. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { until } from '../support/wait.ts';
import { newWebsite } from '../surfaces/session-api/site.ts';

let detour: TestDetour;
beforeAll(async () => {
  detour = await startTestDetour();
});
afterAll(() => detour.stop());

interface SlowImport {
  request: ClientRequest;
  response: Promise<IncomingMessage>;
  listed: () => Promise<{ id: string; status: string; error: string | null; progress: { received: number } }[]>;
  websiteId: number;
}

/** Sends the first line of an import, and nothing more for now. */
async function startImport(account: TestAccount): Promise<SlowImport> {
  const websiteId = await newWebsite(account);
  const url = `${detour.address}/api/v1/redirects/bulk?website_id=${websiteId}`;
  const headers = { authorization: `Bearer ${account.key}`, 'content-type': 'application/x-ndjson' };
  const request = httpRequest(url, { method: 'POST', headers });
  const response = once(request, 'response').then(([first]) => first as IncomingMessage);
  response.catch(() => {});
  request.write('{"old_path":"/first","new_path":"/target"}\n');
  const listed = async () => (await account.keyCall('GET', `/api/v1/imports?website_id=${websiteId}`)).body.imports;
  return { request, response, listed, websiteId };
}

test('imports that wait for their bodies hold no permit, and go on when more arrives', async () => {
  const slow: SlowImport[] = [];
  // More than the process has permits for.
  for (let n = 0; n < 7; n++) slow.push(await startImport(await detour.account()));
  for (const { listed } of slow) {
    const [shown] = await until(async () => {
      const imports = await listed();
      return imports[0]?.progress.received === 1 && imports;
    });
    expect(shown).toMatchObject({ status: 'running', progress: { received: 1 } });
  }
  const other = await detour.account();
  const quick = { website_id: String(await newWebsite(other)), redirects: [{ old_path: '/a', new_path: '/b' }] };
  const imported = await other.keyCall('POST', '/api/v1/redirects/bulk', quick);
  expect(imported.body.summary).toMatchObject({ created: 1, errors: 0 });

  for (const { request } of slow) request.end('{"old_path":"/second","new_path":"/target"}\n');
  for (const { response } of slow) {
    const body = JSON.parse(await text(await response)) as { summary: object };
    expect(body.summary).toMatchObject({ total_submitted: 2, created: 2, errors: 0 });
  }
});

test('an import whose body breaks off is listed as failed, with the reason', async () => {
  const account = await detour.account();
  const { request, listed } = await startImport(account);
  request.on('error', () => {});
  await until(async () => (await listed()).length === 1);
  request.destroy();
  const failed = await until(async () => (await listed()).find(({ status }) => status === 'failed'));
  expect(failed.error).toContain('the connection closed before its end');
  const stages = await detour.db.$client.query(`select 1 from pg_class where relname like 'import_stage_%'`);
  expect(stages.rowCount).toBe(0);
});

/** The edge library follows the live version of a website on a running service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEdge } from '../../src/edge-library/edge.ts';
import { openWorkshop, type Workshop } from '../support/process.ts';
import { until } from '../support/wait.ts';

let workshop: Workshop;
let url: string;
let key: string;

beforeAll(async () => {
  workshop = openWorkshop();
  url = await workshop.start().ready;
  key = JSON.parse(readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8')).api_key;
}, 180_000);
afterAll(() => workshop?.clear());

async function call(method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

test('an edit reaches the application, and a wrong key is reported', async () => {
  const { websites }: { websites: { id: string }[] } = JSON.parse(await (await call('GET', '/websites')).text());
  const website = websites[0]?.id ?? '';
  const edge = createEdge({ url, key, website, name: 'shop' });
  await edge.ready();
  expect(edge.version).toBeGreaterThan(0);
  const ask = (): Response | null => edge.handle(new Request('https://demo.localhost/from-the-library?x=1'));
  expect(ask()).toBeNull();
  const rule = { website_id: website, old_path: '/from-the-library', new_path: '/arrived' };
  expect((await call('POST', '/redirects/bulk', { website_id: website, redirects: [rule] })).status).toBeLessThan(300);
  const response = await until(async () => ask() ?? undefined, 30_000);
  expect([response.status, response.headers.get('location')]).toEqual([301, '/arrived?x=1']);
  await edge.close();
  expect(ask()?.status).toBe(301);

  const denied = createEdge({ url, key: 'dtr_wrong', website });
  await expect(denied.ready()).rejects.toThrow('responds with 401');
  await denied.close();
});

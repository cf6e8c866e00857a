/** Every operation that stores an event wakes the dispatcher: the whole service, through its APIs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemActorByEmail } from '../../../src/accounts/system-actor.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addWebhook } from '../../support/dispatching.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { addRedirect, createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;
let receiver: Receiver;
let site: number;

beforeAll(async () => {
  detour = await startTestDetour({ WEBHOOK_EGRESS: 'private' });
  owner = await detour.account();
  receiver = await startReceiver();
  site = await createSite(owner, ['wake.example']);
  const database = { db: detour.db, url: detour.url, close: () => detour.stop() };
  await addWebhook(database, await systemActorByEmail(detour.db, owner.email), receiver.url);
});

afterAll(async () => {
  await detour.stop();
  await receiver.stop();
});

const came = (): string[] => receiver.requests.map(({ headers }) => String(headers['x-service-event']));

test('an edit, its deployment, an import and an export are each sent to the receiver', async () => {
  const id = await addRedirect(owner, site, { old_path: '/a', new_path: '/b' });
  await owner.call('PUT', `/api/redirects/${id}`, { new_path: '/c' });
  await owner.call('DELETE', `/api/redirects/${id}`);
  const form = new FormData();
  form.set('file', new Blob(['old_path,new_path\n/x,/y\n']), 'rules.csv');
  form.set('website_id', String(site));
  await owner.call('POST', '/api/redirects/import', form);
  await owner.keyCall('GET', `/api/v1/redirects/bulk/export?website_id=${site}`);
  const expected = [
    'redirect.created',
    'redirect.updated',
    'redirect.deleted',
    'deployment.started',
    'deployment.completed',
    'bulk_import.completed',
    'bulk_export.completed',
  ];
  await until(() => Promise.resolve(expected.every((event) => came().includes(event))));
});

test('/metrics reports the attempts', async () => {
  const body = await until(async () => {
    const response = await fetch(`${detour.address}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    return /detour_webhook_attempts_total\{outcome="delivered"\} (?:[7-9]|\d\d)$/m.test(text) && text;
  });
  expect(body).toMatch(/^detour_webhook_pending \d+$/m);
  expect(body).toMatch(/^detour_webhook_oldest_due_seconds [\d.e-]+$/m);
  expect(body).toMatch(/^detour_webhook_first_attempt_seconds_count [1-9]/m);
});

/**
 * The API reference against a running demo: sends the example of every operation, validates the response against the
 * document, compares it with the recorded one, and checks what the operation adds to the audit log. `vitest -u` records
 * the responses again.
 */
import { format } from 'prettier';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleUrl } from '../../src/surfaces/docs/curl.ts';
import { type OpenApi, RECORDED_FILE } from '../../src/surfaces/docs/openapi.ts';
import { EXAMPLE_IDS, type ExampleRequest } from '../../src/http/route-docs.ts';
import { startTestApp } from '../support/app.ts';
import { send as sendTo, visitAt } from '../support/detour.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/wait.ts';
import { type Demo, startDemo } from '../surfaces/docs/demo.ts';
import { type AuditWatch, watchAudit } from '../surfaces/docs/audited.ts';
import { type AnswerCheck, createAnswerCheck, operationsOf, type Placed } from '../surfaces/docs/document.ts';
import { createStable, type Stable } from '../surfaces/docs/stable.ts';
import * as story from '../surfaces/docs/story.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15';
const RECEIVER = 'http://127.0.0.1:4000/hook';
/** Too long, or different in every run. */
// The last two have ids and counts that depend on when known URLs are added.
const NOT_SHOWN = ['getMetrics', 'getOpenApi', 'listEventTypes', 'listEventTypesV1', 'listUrlsV1', 'checkUrlsV1'];
/** Steps of story.CHECKS until the check is stopped. */
const STOPPED = 2;

let examples: Map<string | undefined, ExampleRequest>;
let demo: Demo;
let receiver: Receiver;
let document: OpenApi;
let operations: Map<string, Placed>;
let check: AnswerCheck;
let stable: Stable;
let audit: AuditWatch;
let cookie = '';
const shown: Record<string, { type: string; body: unknown }> = {};

beforeAll(async () => {
  const app = await startTestApp();
  examples = new Map(app.app.routeTable.map(({ schema }) => [schema?.operationId, schema?.example ?? {}]));
  await app.close();
  [demo, receiver] = await Promise.all([startDemo(), startReceiver()]);
  document = (await sendTo<OpenApi>(demo.address, 'GET', '/openapi.json', undefined, {})).body;
  operations = operationsOf(document);
  check = await createAnswerCheck(document);
  audit = await watchAudit(demo.database);
  stable = createStable(new Date());
  stable.pair(receiver.url, RECEIVER);
  await settled();
});
afterAll(async () => {
  await check.close();
  await demo.stop();
  await receiver.stop();
});

async function send(id: string, headers: Record<string, string> = credentials(id)): Promise<Response> {
  const placed = operations.get(id);
  if (!placed) throw new Error(`no operation ${id}`);
  const example = examples.get(id) ?? {};
  const url = exampleUrl(placed.path.replace(/\{(\w+)\}/g, ':$1'), example);
  return fetch(demo.address + stable.real(decodeURIComponent(url)), {
    method: placed.method,
    headers: {
      'user-agent': 'curl/8.14.1',
      ...(example.body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...payload(example),
  });
}

function payload({ body, form }: ExampleRequest): { body?: string | FormData } {
  if (body !== undefined) return { body: stable.real(JSON.stringify(body)) };
  if (!form) return {};
  const data = new FormData();
  data.set('file', new Blob([form.file.text]), form.file.name);
  for (const [name, value] of Object.entries(form.fields ?? {})) data.set(name, value);
  return { body: data };
}

function credentials(id: string): Record<string, string> {
  const [needed] = operations.get(id)?.operation.security ?? [];
  if (needed?.['apiKey']) return { authorization: `Bearer ${demo.apiKey}` };
  return needed?.['session'] ? { cookie, 'x-detour-dashboard': '1' } : {};
}

/** Sends the example, validates the response against the document, and records it. */
async function record({ id, names }: story.Step): Promise<void> {
  const sent = stable.real(JSON.stringify(examples.get(id)?.body ?? null));
  const answer = await audit.observe(id, sent, () => send(id));
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  // A new password gives the session a new token.
  if (id === 'changePassword') cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const text = await answer.text();
  const success = Object.keys(operations.get(id)?.operation.responses ?? {}).filter((one) => one.startsWith('2'));
  expect([id, String(answer.status), text]).toEqual([id, success[0], text]);
  expect(operations.get(id)?.operation.responses[answer.status]?.content).toHaveProperty([type]);
  if (type === 'application/json') {
    const body: unknown = JSON.parse(text);
    expect(await check.problem(id, answer.status, body)).toBe('');
    if (names) stable.pair(names[1](body), names[0]);
  }
  if (NOT_SHOWN.includes(id)) return;
  const stableText = stable.shown(text);
  shown[id] = { type, body: type === 'application/json' ? JSON.parse(stableText) : stableText };
}

interface Deployments {
  deployments: { status: string }[];
}

interface Webhooks {
  webhooks: { pending: number }[];
}

/** Waits until no deployment is queued or running, no delivery is pending, and no move is matched. */
async function settled(): Promise<void> {
  const headers = { authorization: `Bearer ${demo.apiKey}` };
  const get = <Body>(path: string) => sendTo<Body>(demo.address, 'GET', path, undefined, headers);
  await until(async () => {
    const { deployments } = (await get<Deployments>('/api/v1/deployments?limit=1000')).body;
    const { webhooks } = (await get<Webhooks>('/api/webhooks')).body;
    const { rowCount: matching } = await demo.database.query(`select from moves where state = 'matching'`);
    const isLive = deployments.length > 0 && deployments.every(({ status }) => status === 'completed');
    return isLive && matching === 0 && webhooks.every(({ pending }) => pending === 0);
  });
}

/** Writes data that the next examples need and that is not an example itself. */
async function write(method: string, path: string, body: object): Promise<void> {
  const { status, text } = await sendTo(demo.address, method, path, body, { cookie });
  expect(status, text).toBeLessThan(300);
  await settled();
}

async function recordAll(steps: story.Step[]): Promise<void> {
  for (const step of steps) {
    await record(step);
    await settled();
  }
}

describe('every operation responds to its example as the document says', () => {
  test('signing in', async () => {
    await recordAll(story.SIGNING_IN);
    const answer = await send('signIn');
    cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(cookie).toMatch(/^detour\.session-token=/);
  });

  test('account, users, keys and websites', async () => {
    await recordAll(story.ACCOUNT);
    const body = { email: 'another@example.com', role: 'viewer' };
    const created = await sendTo<{ invitation: { id: string } }>(demo.address, 'POST', '/api/invitations', body, {
      cookie,
    });
    stable.pair(created.body.invitation.id, EXAMPLE_IDS.invitation);
    await recordAll(story.INVITATION);
  });
  test('redirects, imports and exports', () => recordAll(story.REDIRECTS));

  test('a checked file', async () => {
    const lines = ['/about-us,/company', '/jobs,/company/jobs', '/press,/news', '/press,/newsroom', 'imprint,/legal'];
    const form = payload({
      form: { file: { name: 'redirects.csv', text: `from,to\n${lines.join('\n')}\n` } },
    }).body;
    const options = 'website_id=1&dry_run=true&report=true&on_conflict=update';
    const path = `/api/redirects/import?${options}&import_id=${EXAMPLE_IDS.checkedFile}`;
    if (typeof form === 'object') await write('POST', path, form);
    await recordAll(story.CHECKED_FILE);
  });

  test('deployments', async () => {
    await recordAll(story.DEPLOYMENTS);
    await write('PUT', '/api/redirects/5', { status_code: 302 });
    await recordAll(story.MORE_DEPLOYMENTS);
    await recordAll(story.EXPECTATIONS);
  });

  test('URLs', () => recordAll(story.URLS));

  test('moves', () => recordAll(story.MOVES));

  test('checks', async () => {
    await recordAll(story.CHECKS.slice(0, STOPPED));
    // A process may have claimed the check before it was stopped, which the response to the stop shows too.
    await demo.database.query('update checks set started_at = null');
    await recordAll(story.CHECKS.slice(STOPPED));
    Object.assign(shown, { stopCheckV1: shown['getCheckV1'] });
  });

  test('health', async () => {
    await write('POST', '/api/redirects', { website_id: 1, old_path: '/shop/old', new_path: '/shop' });
    await write('POST', '/api/redirects', { website_id: 1, old_path: '/shop/older', new_path: '/shop/old' });
    await write('POST', '/api/redirects', { website_id: 1, old_path: '/team/', new_path: '/people' });
    // The state that a live check would store.
    await demo.database.query(`insert into target_states (website_id, redirect_id, target, state, reason, checked_at)
      select website_id, id, new_path, 'dead', 'http_404', now() from redirects where old_path = '/old-page'`);
    await recordAll(story.HEALTH);
  });

  test('reports after visits', async () => {
    for (const [path, address, agent] of [
      ['/old-page', '8.8.8.8', FIREFOX],
      ['/old-page', '8.8.8.8', SAFARI],
      ['/old-page', '193.99.144.80', FIREFOX],
      ['/favicon.ico', '8.8.8.8', FIREFOX],
      ['/favicon.ico', '8.8.8.8', SAFARI],
      ['/new-pages', '8.8.8.8', FIREFOX],
    ] as const) {
      await visitAt(demo.address, 'demo.localhost', path, {
        headers: { 'x-forwarded-for': address, 'user-agent': agent },
      });
    }
    await until(async () => {
      const text = await (await send('getWebsiteHits')).text();
      return /"total_hits":3,.*"not_found":3,/.test(text);
    }, 60_000);
    await recordAll(story.REPORTS);
  });

  test('webhooks', () => recordAll(story.WEBHOOKS));
  test('notices', async () => {
    stable.pair(`${new URL(receiver.url).origin}/…`, 'https://hooks.slack.com/…');
    stable.pair(receiver.url, 'https://hooks.slack.com/services/T000/B000/XXXX');
    await recordAll(story.NOTICES);
  });
  test('signing out', () => recordAll(story.SIGNING_OUT));

  test('deleting the account', async () => {
    const body = { email: 'owner@example.com', password: 'a longer horse battery' };
    const answer = await sendTo(demo.address, 'POST', '/api/auth/sign-in', body, {});
    cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    for (const step of story.DELETING) await record(step);
  });

  test('the story covers every operation', () => {
    expect(story.STORY.map(({ id }) => id).toSorted()).toEqual([...operations.keys()].toSorted());
  });

  test('the audit log has no password, key, token or code', () => audit.expectNoSecrets());

  test('the document shows the recorded responses', async () => {
    const written = await format(JSON.stringify(shown), { parser: 'json', printWidth: 120 });
    await expect(written).toMatchFileSnapshot(RECORDED_FILE);
  });
});

test('the check reports a missing field and an additional field', async () => {
  expect(await check.problem('getHealth', 200, { status: 'ok', version: '1.0.0' })).toBe('');
  expect(await check.problem('getHealth', 200, { version: '1.0.0' })).toContain("required property 'status'");
  expect(await check.problem('getHealth', 200, { status: 'ok', version: '1.0.0', more: 1 })).toContain(
    'additional properties',
  );
});

test('without credentials every operation that needs them responds with a documented 401', async () => {
  const failures: unknown[] = [];
  for (const [index, [id, { operation }]] of [...operations].entries()) {
    if (operation.security.length === 0) continue;
    // Each address has a budget.
    const answer = await send(id, { 'x-forwarded-for': `10.7.0.${index % 250}` });
    const problem = await check.problem(id, answer.status, await answer.json());
    if (answer.status !== 401 || problem !== '') failures.push([id, answer.status, problem]);
  }
  expect(failures).toEqual([]);
});

test('responses have the documented headers', async () => {
  const failures: unknown[] = [];
  for (const [id, { operation }] of operations) {
    const answer = await send(id, {});
    await answer.body?.cancel();
    const named = Object.keys(operation.responses[answer.status]?.headers ?? {});
    const absent = named.filter((name) => !answer.headers.has(name));
    if (named.length === 0 || absent.length > 0) failures.push([id, answer.status, absent]);
  }
  expect(failures).toEqual([]);
});

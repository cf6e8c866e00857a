/**
 * Sends generated requests to every operation of the OpenAPI document, by two tenants and without credentials. Repeat a
 * failure with the printed FUZZ_SEED; search longer with FUZZ_REQUESTS.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenApi } from '../../src/surfaces/docs/openapi.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { seeded } from '../support/random.ts';
import { inSoak } from '../support/soak.ts';
import { createAnswerCheck, operationsOf, type AnswerCheck, type Placed } from '../surfaces/docs/document.ts';
import { createRequests, type FuzzRequest } from './requests.ts';
import { pick } from './values.ts';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? inSoak(600, 200));
const SEED = Number(process.env['FUZZ_SEED'] ?? 13);
const TIMEOUT_MS = 10_000;
const MAX_PROBLEMS = 20;
/** In every name of the tenant, and in none of the other. */
const MARKS = { a: 'tenant-a-7f3c', b: 'tenant-b-91d2' } as const;
/** Sends a webhook to the outside. */
const EXCLUDED = new Set(['testWebhook']);
/** Hash a password, which takes as long as a hundred other requests. */
const SLOW = new Set(['signIn', 'signUp', 'changePassword', 'createUser', 'confirmPassword', 'acceptInvitation']);
const MAX_IDS = 300;

interface Tenant {
  mark: string;
  cookie: string;
  key: string;
  ids: (string | number)[];
}

let detour: TestApp;
let check: AnswerCheck;
let document: OpenApi;

beforeAll(async () => {
  detour = await startTestApp({ env: { SIGN_UP: 'open' } });
  document = (await detour.call('GET', '/openapi.json')).json();
  check = await createAnswerCheck(document);
}, 120_000);
afterAll(async () => {
  await check.close();
  await detour.close();
});

/** An account with data of each kind, all with the mark of the tenant. */
async function openTenant(mark: string): Promise<Tenant> {
  // A new window of the rate limit: every sign-in comes from one address.
  detour.clock.advance(60_000);
  const owner = await detour.account();
  const cookie = await detour.cookieOf(owner.email);
  const { key, id: keyId } = await owner.key();
  const ids: Tenant['ids'] = [keyId, owner.userId];
  const create = async (url: string, body: object, as: { cookie: string } | { key: string } = { cookie }) => {
    const answer = await detour.call('POST', url, { ...as, body });
    if (answer.statusCode >= 300) throw new Error(`${url}: ${answer.body}`);
    ids.push(...idsIn(answer.body));
    return answer.json();
  };
  const { website } = await create('/api/websites', { name: `${mark} website`, hosts: [] });
  for (const path of ['a', 'b']) {
    const labels = { group_id: mark, notes: mark };
    await create('/api/redirects', {
      website_id: website.id,
      old_path: `/${mark}/${path}`,
      new_path: '/to',
      ...labels,
    });
  }
  const events = ['redirect.created', 'redirect.updated'];
  await create('/api/webhooks', { name: `${mark} webhook`, url: `https://8.8.8.8/${mark}`, events }, { key });
  return { mark, cookie, key, ids };
}

function idsIn(text: string): (string | number)[] {
  return [...text.matchAll(/"(?:(?!group)[a-z]+_)?id":(?:(\d{1,12})|"([\w-]{1,60})")/g)].map(([, number, name]) =>
    number === undefined ? (name ?? '') : Number(number),
  );
}

/** The credentials that the operation takes: the session cookie or the key. */
function credentialsFor({ operation }: Placed, { cookie, key }: Tenant): Record<string, string> {
  const takesKey = operation.security.some((one) => 'apiKey' in one);
  return takesKey ? { authorization: `Bearer ${key}` } : { cookie };
}

async function send(request: FuzzRequest, headers: Record<string, string>, remoteAddress: string) {
  const { method, url, payload } = request;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), TIMEOUT_MS);
  });
  const sent = detour.app.inject({
    method,
    url,
    remoteAddress,
    headers: { ...request.headers, ...headers },
    ...(payload !== undefined && { payload }),
  });
  const answer = await Promise.race([sent, late]);
  clearTimeout(timer);
  return answer;
}

test(`${REQUESTS} requests never fail, hang, show another tenant's data or leave their schema`, async () => {
  const random = seeded(SEED);
  const requestFor = createRequests(document, random);
  const operations = [...operationsOf(document).values()].filter(
    ({ operation }) => !EXCLUDED.has(operation.operationId),
  );
  const tenants = { a: await openTenant(MARKS.a), b: await openTenant(MARKS.b) };
  const problems: unknown[] = [];
  const statuses = new Map<number, number>();
  for (let n = 0; n < REQUESTS && problems.length < MAX_PROBLEMS; n++) {
    const operation = pick(random, operations);
    if (SLOW.has(operation.operation.operationId) && random() > 0.1) continue;
    // Within the rate limit: a new window now and then, and a new address for each anonymous request.
    if (n % 200 === 0) detour.clock.advance(1_000);
    const who = pick(random, ['a', 'a', 'a', 'b', 'none'] as const);
    const tenant = tenants[who === 'none' ? 'a' : who];
    const ids = random() < 0.8 ? tenant.ids : [...tenants.a.ids, ...tenants.b.ids];
    // An error may quote the request, so a request without credentials has no text of a tenant.
    const request = requestFor(operation, ids, who === 'none' ? 'anonymous' : tenant.mark);
    const headers = who === 'none' ? {} : credentialsFor(operation, tenant);
    const answer = await send(request, headers, `10.${n & 255}.${(n >> 8) & 255}.1`);
    const problem = answer ? await problemOf(request, answer, who) : `no response within ${TIMEOUT_MS} ms`;
    if (problem !== '') problems.push({ n, who, request, status: answer?.statusCode, problem });
    if (!answer) continue;
    statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
    if (answer.statusCode === 401 && who !== 'none') tenants[who] = await openTenant(MARKS[who]);
    else if (who !== 'none') tenant.ids = [...tenant.ids, ...idsIn(answer.body).slice(0, 5)].slice(-MAX_IDS);
  }
  expect(problems, `repeat with FUZZ_SEED=${SEED} FUZZ_REQUESTS=${REQUESTS}`).toEqual([]);
  // Otherwise the requests no longer reach the operations.
  expect((statuses.get(200) ?? 0) / REQUESTS).toBeGreaterThan(0.1);
}, 3_600_000);

async function problemOf(
  { operationId }: FuzzRequest,
  { statusCode, headers, body }: NonNullable<Awaited<ReturnType<typeof send>>>,
  who: 'a' | 'b' | 'none',
): Promise<string> {
  if (statusCode >= 500 && statusCode !== 503) return `status ${statusCode}: ${body.slice(0, 500)}`;
  if (who !== 'b' && body.includes(MARKS.b)) return `shows data of the other tenant: ${body.slice(0, 500)}`;
  if (who !== 'a' && body.includes(MARKS.a)) return `shows data of the other tenant: ${body.slice(0, 500)}`;
  if (!String(headers['content-type']).startsWith('application/json')) return '';
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return `the body is not JSON: ${body.slice(-200)}`;
  }
  const problem = await check.problem(operationId, statusCode, json);
  return problem === '' ? '' : `${problem} for ${body.slice(0, 500)}`;
}

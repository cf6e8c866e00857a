import { z } from 'zod';
import { writeCredentials } from '../../../checks/credentials.ts';
import { getCheck, isFirst, listChecks } from '../../../checks/list-checks.ts';
import { stopCheck } from '../../../checks/stop-check.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject, Message, nextCursor, pageParameters, queryObject, staleness } from '../../../http/wire/fields.ts';
import type { Api } from '../../../http/wire/zod.ts';
import { hasControlCharacter } from '../../../rules/check-fields.ts';
import { missing } from '../../../vocabulary/error.ts';
import { keyDialect } from '../../resources/dialect.ts';
import {
  CHECK,
  CheckBody,
  checkBody,
  checkParams,
  checkPlace,
  CHECKS,
  examplePath,
  ListedCheck,
  listedCheck,
  newCheck,
  readCheckFilter,
  websiteParams,
} from './check-wire.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const MAX_CREDENTIAL = 500;

const config = { forDashboard: true };
const tag = 'Checks (key API)';
const One = z.object({ check: CheckBody });

/** GET, POST /checks; GET, DELETE /checks/{check_id}; PUT /checks/credentials. */
export function checkRoutes(api: Api, deps: SurfaceDeps): void {
  const { db, jobs, clock, reads } = deps;
  const { read } = keyDialect.websiteId;
  const one = { config, tag, params: checkParams, errors: ['CHECK_NOT_FOUND', 'WEBSITE_NOT_FOUND'] } as const;

  api.get(CHECKS, {
    config,
    tag,
    params: websiteParams,
    operationId: 'listChecksV1',
    summary: 'List checks',
    returns: 'A page of the checks of a website, newest first.',
    errors: ['WEBSITE_NOT_FOUND'],
    example: { path: { id: '1' } },
    querystring: queryObject({ ...pageParameters(MAX_LIMIT, DEFAULT_LIMIT), ...staleness }),
    response: { 200: z.object({ checks: z.array(ListedCheck).describe('The checks.'), next_cursor: nextCursor }) },
    async handler({ actor, params, query: { limit = DEFAULT_LIMIT, cursor, maxStaleness } }) {
      const page = { websiteId: read(params.id), limit, cursor };
      const { checks, nextCursor: next } = await reads.read(maxStaleness, (from) => listChecks(from, actor, page));
      return { checks: checks.map((check) => listedCheck(actor, check)), nextCursor: next };
    },
  });

  api.post(CHECKS, {
    config,
    tag,
    params: websiteParams,
    operationId: 'createCheckV1',
    summary: 'Start a check',
    description:
      'Requests each distinct target once, those with the most hits first. An account runs one check at a time, and at most as many targets a day (UTC) as its plan has redirects.',
    returns: 'The check. It starts within seconds.',
    errors: ['WEBSITE_NOT_FOUND', 'CHECK_RUNNING', 'PLAN_LIMIT_EXCEEDED', 'PLAN_REQUIRED', 'VALIDATION_ERROR', 'BUSY'],
    example: { path: { id: '1' }, body: { kind: 'targets' } },
    body: bodyObject(newCheck),
    response: { 202: One },
    async handler({ actor, params, body: { filter, ...body } }) {
      const input = { websiteId: read(params.id), ...body, filter: filter && readCheckFilter(body.kind, filter) };
      const check = await jobs.createCheck(actor, input);
      return { check: checkBody(actor, { ...check, isFirst: await isFirst(db, check) }) };
    },
  });

  api.get(CHECK, {
    ...one,
    operationId: 'getCheckV1',
    summary: 'Read a check',
    returns: 'The check with its counts.',
    example: { path: examplePath },
    response: { 200: One },
    handler: async ({ actor, params }) => ({ check: checkBody(actor, await getCheck(db, actor, checkPlace(params))) }),
  });

  api.delete(CHECK, {
    ...one,
    operationId: 'stopCheckV1',
    summary: 'Stop a check',
    description: 'Its results stay. A check that has ended does not change.',
    returns: 'The check.',
    example: { path: examplePath },
    response: { 200: One },
    async handler({ actor, params }) {
      await stopCheck(db, actor, checkPlace(params), clock.now());
      return { check: checkBody(actor, await getCheck(db, actor, checkPlace(params))) };
    },
  });
  credentialsRoute(api, deps);
}

function credentialsRoute(api: Api, { db, secretBox }: SurfaceDeps): void {
  const text = z
    .string()
    .max(MAX_CREDENTIAL)
    .refine((given) => !hasControlCharacter(given), 'must not contain control characters');
  api.put(`${CHECKS}/credentials`, {
    config,
    tag,
    params: websiteParams,
    operationId: 'putCheckCredentialsV1',
    summary: 'Set the credentials of checks',
    description:
      'A user and password that checks send to one own host, such as a protected staging site. They are stored encrypted, never shown, and never sent along a redirect.',
    returns: 'They are stored, or removed.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR'],
    example: {
      path: { id: '1' },
      body: { hostname: 'demo.localhost', username: 'staging', password: 'correct horse battery' },
    },
    body: bodyObject({
      hostname: z.string().nullable().describe('A verified host of the website; null removes the credentials.'),
      username: text.optional().describe('The user, without a colon. Required with a hostname.'),
      password: text.optional().describe('The password. Required with a hostname.'),
    }),
    response: { 200: Message },
    async handler({ actor, params, body: { hostname, username, password } }) {
      if (hostname !== null && username === undefined) throw missing('username');
      if (hostname !== null && password === undefined) throw missing('password');
      const credentials = hostname === null ? null : { hostname, username: username ?? '', password: password ?? '' };
      await writeCredentials(db, secretBox, actor, keyDialect.websiteId.read(params.id), credentials);
      return { message: hostname === null ? 'The credentials are removed' : `Checks sign in at ${hostname}` };
    },
  });
}

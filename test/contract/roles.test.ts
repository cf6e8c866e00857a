/** docs/roles.md: the callers of each route. Written from the route table, so that a new route appears in it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { TableRoute } from '../../src/http/route-table.ts';
import { audienceOf } from '../../src/surfaces/docs/route-errors.ts';
import { startTestApp } from '../support/app.ts';
import { nameOf } from '../support/example-requests.ts';

const FILE = join(import.meta.dirname, '..', '..', 'docs', 'roles.md');
const UPDATE = 'vitest run --project integration test/contract/roles.test.ts -u';

const VISIBLE = 'visible websites only';
const ONLY = 'the only visible website by default; 404 for others, role there';
/** The response to a person limited to websites, by method and path below the surface, if the route does not say it. */
const LIMITED: Record<string, string> = {
  'GET /account': 'plan, and usage of visible websites',
  'GET /websites': VISIBLE,
  'POST /websites': '403',
  'GET /redirects': VISIBLE,
  'GET /redirects/count': VISIBLE,
  'POST /redirects': ONLY,
  'POST /redirects/check': ONLY,
  'POST /redirects/import': ONLY,
  'POST /redirects/bulk': '404 unless visible, role there',
  'POST /redirects/bulk-update': 'ids of others are ignored, 403 below editor; a filter covers edited websites',
  'POST /redirects/bulk-delete': 'ids of others are ignored, 403 below editor; a filter covers edited websites',
  'DELETE /redirects/bulk-delete': 'ids of others are ignored, 403 below editor; a filter covers edited websites',
  'GET /deployments': VISIBLE,
  'GET /events': VISIBLE,
  'GET /activity': VISIBLE,
  'GET /overview': VISIBLE,
  'POST /downloads': 'as the path',
};

const roleOf = ({ method, config }: TableRoute): string => config.role ?? (method === 'GET' ? 'viewer' : 'editor');

/** Undefined if the route does not say which websites it touches. */
function limitedOf(route: TableRoute): string | undefined {
  const { url, schema, config } = route;
  if (config.public) return 'as anyone';
  if (url.startsWith('/api/auth/')) return 'oneself';
  if (roleOf(route) === 'owner') return '403';
  const requires = (part: unknown): boolean =>
    part instanceof z.ZodType && !!part.safeDecode({}).error?.issues.some(({ path }) => path[0] === 'website_id');
  if (/:(id|website_id)\b/.test(url) || requires(schema?.querystring) || requires(schema?.body))
    return `404 unless visible${route.method === 'GET' ? '' : ', role there'}`;
  return LIMITED[`${route.method} ${url.replace(/^\/api(\/v1)?/, '')}`];
}

/** The routes of one kind of access are one section, with its paths by method. */
function headingOf(route: TableRoute): string {
  const { config } = route;
  if (config.public) return 'No credential';
  const role = roleOf(route);
  const scope = config.scope ?? (role === 'viewer' ? 'read' : 'write');
  const credential = audienceOf(route) === 'key' ? `Key (${scope}) or session` : 'Session';
  return `${credential}, ${role}: ${limitedOf(route)}`;
}

function pageOf(table: TableRoute[]): string {
  const sections = Map.groupBy(table, headingOf);
  const listed = [...sections].map(([heading, routes]) => {
    const methods = [...Map.groupBy(routes, ({ method }) => method)].map(([method, ofMethod]) =>
      [`${method}:`, ...ofMethod.map(({ url }) => `\`${url}\``).toSorted()].join('\n'),
    );
    return `## ${heading}\n\n${methods.toSorted().join('\n\n')}\n`;
  });
  return [HEADER, ...listed.toSorted()].join('\n');
}

const HEADER = `# Who may call what

Generated from the route table by \`test/contract/roles.test.ts\`; do not edit. [accounts.md](accounts.md) explains roles.

A heading names the credential and the minimum role of a user, or in brackets the scope of a key, then what a person
gets who is limited to websites. Dry runs need only a viewer or a read key, the call itself an editor or a write key.
"role there": a lower role at the website is 403 \`INSUFFICIENT_ROLE\`, and nothing is applied.
`;

test('docs/roles.md has every route below its credential and role', async () => {
  const detour = await startTestApp();
  const table = detour.app.routeTable.filter(({ url }) => /^\/(api|v1)\//.test(url));
  await detour.close();
  const undecided = table.filter((route) => limitedOf(route) === undefined).map(nameOf);
  expect(undecided, 'routes that name no website: add what a limited person gets to LIMITED in this file').toEqual([]);
  const text = pageOf(table);
  const stored = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  const missing = table.filter((route) => !stored.includes(`\`${route.url}\``)).map(nameOf);
  const isUpdate = expect.getState().snapshotState['_updateSnapshot'] === 'all';
  if (!isUpdate) expect(missing, `routes that docs/roles.md lacks: run ${UPDATE}, and read the new lines`).toEqual([]);
  await expect(text, `docs/roles.md is outdated: run ${UPDATE}, and read what changed`).toMatchFileSnapshot(FILE);
});

/** The example of each route of the table, sent with the ids of a website that has one of everything. */
import { sql } from 'drizzle-orm';
import type { TableRoute } from '../../src/http/route-table.ts';
import type { Method, TestApp } from './app.ts';

/** Ids of a website by the name of a field, or of the resource in a path. */
export type Ids = Record<string, string>;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- responses of any shape
type AnyBody = any;

/** Creates a website with one of everything, all with the mark. */
export async function fillWebsite(detour: TestApp, key: string, mark: string): Promise<Ids> {
  const write = async (method: Method, path: string, body: object): Promise<AnyBody> => {
    const answer = await detour.call(method, `/api/v1${path}`, { key, body });
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.body}`);
    return answer.json();
  };
  const { website } = await write('POST', '/websites', { name: mark, auto_deploy: false });
  const website_id = website.id;
  const fields = { website_id, new_path: '/to', group_id: mark };
  const { redirect } = await write('POST', '/redirects', { ...fields, old_path: `/${mark}` });
  const { redirect: deleted } = await write('POST', '/redirects', { ...fields, old_path: `/${mark}/deleted` });
  await write('DELETE', `/redirects/${deleted.id}`, {});
  const event = await detour.call('GET', `/api/v1/events?website_id=${website_id}&limit=1`, { key });
  const change = await detour.call('GET', `/api/v1/changes?website_id=${website_id}`, { key });
  const file = { name: 'a.csv', text: `old_path,new_path\n/${mark}/x,/y\n` };
  const form = formOf({ file, fields: { website_id, dry_run: 'true', report: 'true' } });
  const headers = { 'content-type': form.type };
  const imported = await detour.call('POST', '/api/v1/redirects/import', { key, payload: form.text, headers });
  const { deployment } = await write('POST', '/deployments', { website_id, environment: 'staging' });
  await write('PUT', `/websites/${website_id}/urls/living?list=docs`, [`/${mark}`]);
  const { upload } = await write('POST', `/websites/${website_id}/urls/uploads`, {});
  const { move } = await write('POST', `/websites/${website_id}/moves`, { name: mark, from: { urls: [`/${mark}`] } });
  const check = `chk_${mark}`;
  await detour.database.db.execute(sql`
    insert into checks (id, account_id, website_id, environment, kind, status, rate, total, skipped, estimated_end, actor_type,
      actor_id, actor_name)
    select ${check}, account_id, id, 'production', 'targets', 'completed', 2, 0, 0, now(), 'system', '', 'system' from websites
    where id = ${Number(website_id)}`);
  const view = `vw_${mark}`;
  await detour.database.db.execute(sql`
    insert into saved_views (id, website_id, name, query, actor_type, actor_id, actor_name)
    values (${view}, ${Number(website_id)}, ${mark}, 'q=a', 'system', '', 'system')`);
  return {
    website_id,
    event_id: event.json<AnyBody>().events[0].id,
    redirect_id: redirect.id,
    websites: website_id,
    redirects: redirect.id,
    imports: imported.json<AnyBody>().import_id,
    deployments: deployment.id,
    uploads: upload.id,
    moves: move.id,
    checks: check,
    views: view,
    changes: change.json<AnyBody>().changes[0].id,
  };
}

export const nameOf = ({ method, url }: TableRoute): string => `${method} ${url}`;

export interface ExampleCall {
  url: string;
  body?: object;
  /** of a form, instead of a body */
  payload?: { text: string; type: string };
}

/** The example of a route with the ids of a website; `withWebsite` false: without its filter. */
export function exampleCall(route: TableRoute, ids: Ids, withWebsite = true): ExampleCall {
  const { example = {} } = route.schema ?? {};
  const isText = route.url.startsWith('/api/v1') || route.url.startsWith('/v1');
  const typed = (id: string | undefined, old: unknown) => (isText || typeof old === 'string' ? id : Number(id));
  const replaced = JSON.parse(JSON.stringify(example), (name, value: unknown) => {
    if (name === 'redirect_ids') return [ids['redirects']];
    if (name === 'redirectIds') return [Number(ids['redirects'])];
    return name in ids && typeof value !== 'object' ? typed(ids[name], value) : value;
  });
  const query = Object.entries<string>(replaced.query ?? {}).filter(([name]) => withWebsite || name !== 'website_id');
  const path = route.url
    .replace(
      /(\w+)\/:(?:id|upload_id|move_id|check_id|view_id)/g,
      (_, resource: string) => `${resource}/${ids[resource] ?? 'unknown'}`,
    )
    .replace(/:(website_id|environment)/g, (_, name: string) => replaced.path[name]);
  const url = `${path}?${new URLSearchParams(query).toString()}`;
  if (replaced.form) return { url, payload: formOf(replaced.form) };
  return { url, ...(typeof replaced.body === 'object' && { body: replaced.body }) };
}

const BOUNDARY = 'example-boundary';

function formOf({ file, fields }: { file: { name: string; text: string }; fields: Record<string, string> }) {
  const part = (head: string, text: string): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
  const parts = Object.entries(fields ?? {}).map(([name, value]) => part(`name="${name}"`, value));
  const text = [...parts, part(`name="file"; filename="${file.name}"`, file.text), `--${BOUNDARY}--\r\n`].join('');
  return { text, type: `multipart/form-data; boundary=${BOUNDARY}` };
}

/** Imports server files as real sites have them, and requests what their servers redirect and what they do not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { createSite, settled } from '../support/site.ts';
import { expectedRequests, fixtureText } from '../support/server-file.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

interface Case {
  format: string;
  file: string;
  options: Record<string, unknown>;
  /** further hosts of the website */
  hosts?: string[];
}

const CASES: Case[] = [
  { format: 'vercel', file: 'vercel.json', options: { trailing_slash: 'exact' } },
  { format: 'next', file: 'next.config.json', options: { trailing_slash: 'exact', case_sensitive: false } },
  { format: 'nginx', file: 'site.conf', options: { trailing_slash: 'exact' } },
  { format: 'apache', file: '.htaccess', options: { trailing_slash: 'exact' } },
  { format: 'squarespace', file: 'url-mappings.txt', options: { trailing_slash: 'exact' } },
  { format: 'firebase', file: 'firebase.json', options: { trailing_slash: 'exact' } },
  { format: 'iis', file: 'web.config', options: { trailing_slash: 'exact', case_sensitive: false } },
  { format: 'netlify', file: '_redirects', options: {}, hosts: ['shop.example.com'] },
];

interface Notice {
  code: string;
  column: string;
  count: number;
  sides?: { value: string; count: number; lines: number[] }[];
}

interface Rule {
  old_path: string;
  new_path: string | null;
  status_code: number;
  is_regex: boolean;
}

async function importInto(id: number, file: string, text: string) {
  const form = new FormData();
  form.append('website_id', String(id));
  form.append('file', new Blob([text]), file);
  const { status, body } = await owner.call('POST', '/api/redirects/import', form);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}

describe.each(CASES)('$format', ({ format, file, options, hosts = [] }) => {
  const host = `${format}.example.com`;

  test(`a ${format} file redirects here as it does on its server, or says what differs`, async () => {
    const id = await createSite(owner, [host, ...hosts], {
      allowed_target_hosts: [
        'newsroom.example.org',
        'partners.example.org',
        'people.example.org',
        'status.example.org',
        'docs.example.org',
        'www.example.org',
      ],
      ...options,
    });
    const text = fixtureText(`${format}/${file}`);
    const { format: found, imported, skipped, error_count, errors, notices } = await importInto(id, file, text);
    expect([found, skipped]).toEqual([format, 0]);
    const rules: Rule[] = (await owner.call('GET', `/api/redirects?website_id=${id}&limit=1000`)).body.redirects;
    expect(rules).toHaveLength(imported);
    const written = [
      ...rules
        .reverse()
        .map((rule) => `${rule.status_code} ${rule.is_regex ? '~' : ''}${rule.old_path} ${rule.new_path ?? ''}`),
      ...errors.map(
        (error: { line: number; code: string; message: string }) => `line ${error.line} ${error.code} ${error.message}`,
      ),
      ...(notices as Notice[]).map(({ code, column, count, sides }) => {
        const counts = sides?.map((side) => `${side.value} ${side.count} at ${side.lines.join(' ')}`) ?? [count];
        return `${code} ${column} ${counts.join(', ')}`;
      }),
    ];
    await expect(`${written.join('\n')}\n`).toMatchFileSnapshot(`../fixtures/server-files/${format}/rules.txt`);
    expect(errors).toHaveLength(error_count);

    await settled(owner, id);
    const requests = expectedRequests(format);
    const answers = await Promise.all(
      requests.map(async ({ target }) => {
        const { status, headers } = await detour.visit(host, target);
        return { target, status, location: headers['location'] };
      }),
    );
    expect(answers).toEqual(requests);
    expect(requests.filter(({ status }) => status < 400).length).toBeGreaterThanOrEqual(20);
    expect(requests.filter(({ status }) => status === 404).length).toBeGreaterThanOrEqual(20);
  });
});

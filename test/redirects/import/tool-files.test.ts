/** Files of other tools: what an import stores and reports, and how the deployed redirects respond. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { createSite, settled } from '../../support/site.ts';
import { importFile, redirectsOf } from '../../surfaces/session-api/site.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/tools');
const TOOLS = readdirSync(FOLDER).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []));

/** See test/fixtures/tools/README.md. */
interface ToolFile {
  source: string;
  host: string;
  website: Record<string, unknown> & { hosts?: string[] };
  options: Record<string, string>;
  rules: string[];
  errors: [line: number, column: string, code: string, message: string][];
  notices: Record<string, number>;
  redirected: Record<string, string>;
  differences: Record<string, [theirs: string, ours: string, reason: string]>;
  not_redirected: string[];
  fixes?: [from: string, to: string][];
}

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

interface Rule {
  old_path: string;
  new_path: string | null;
  status_code: number;
  is_regex: boolean;
  target_environments: string;
}

function ruleText({ old_path, new_path, status_code, is_regex, target_environments }: Rule): string {
  const target = new_path === null ? '' : ` ${is_regex ? '~>' : '->'} ${new_path}`;
  return `${old_path}${target} ${status_code}${target_environments === '' ? ' draft' : ''}`;
}

interface Notice {
  code: string;
  column: string;
  value?: string;
  count: number;
  current?: string;
  sides?: { value: string; count: number; lines: number[] }[];
}

/** The counts of a notice; of an option those of each value that the website has not. */
function noticeCounts({ code, column, count, current, sides }: Notice): [string, number][] {
  const others = sides?.filter(({ value }) => value !== current);
  return others?.map((side) => [`${code} ${column} ${side.value}`, side.count]) ?? [[`${code} ${column}`, count]];
}

/** The responses of a host by address. */
async function responses(host: string, addresses: string[]): Promise<Record<string, string>> {
  const answers = await Promise.all(
    addresses.map(async (address) => {
      const { status, location } = await detour.visit(host, address);
      return [address, location === undefined ? String(status) : `${status} ${location}`];
    }),
  );
  return Object.fromEntries(answers) as Record<string, string>;
}

describe.each(TOOLS)('%s', (tool) => {
  const expected = JSON.parse(readFileSync(join(FOLDER, `${tool}.json`), 'utf8')) as ToolFile;
  const file = readFileSync(join(FOLDER, `${tool}.csv`));

  test('is imported as meant, responds as the tool unless a notice or an error row says otherwise, and its list of errors can be imported', async () => {
    const { host, website, options, differences } = expected;
    const { hosts = [], ...settings } = website;
    const id = await createSite(owner, [host, ...hosts], settings);
    const { status, body, text } = await importFile(owner, new Uint8Array(file), {
      website_id: String(id),
      ...options,
    });
    expect([status, text]).toEqual([200, expect.any(String)]);
    const rules: Rule[] = await redirectsOf(owner, id);
    expect.soft(rules.map(ruleText).sort()).toEqual(expected.rules.toSorted());
    expect.soft(body.errors).toEqual(
      expected.errors.map(([line, column, code, message]) => ({
        line,
        column,
        code,
        message: expect.stringContaining(message),
      })),
    );
    const notices = (body.notices as Notice[]).flatMap(noticeCounts);
    expect.soft(Object.fromEntries(notices)).toEqual(expected.notices);

    await settled(owner, id);
    expect.soft(await responses(host, Object.keys(expected.redirected))).toEqual(expected.redirected);
    const unmatched = await responses(host, expected.not_redirected);
    expect.soft(Object.entries(unmatched).filter(([, response]) => response !== '404')).toEqual([]);

    const ours = Object.entries(differences).map(([address, [, response]]) => [address, response]);
    expect.soft(await responses(host, Object.keys(differences))).toEqual(Object.fromEntries(ours));
    const reasons = new Set([...expected.errors.map(([line]) => `line ${line}`), ...Object.keys(expected.notices)]);
    expect.soft(Object.values(differences).filter(([, , reason]) => !reasons.has(reason))).toEqual([]);

    const { fixes = [] } = expected;
    const list = (await owner.call('GET', `/api/imports/${body.import_id}/errors?format=csv`)).text;
    expect.soft(fixes.filter(([from]) => !list.includes(from))).toEqual([]);
    const fixed = fixes.reduce((lines, [from, to]) => lines.replace(from, () => to), list);
    const again = (await importFile(owner, fixed, { website_id: String(id), ...options })).body;
    const codes = body.errors.map(({ code }: Notice) => code);
    expect
      .soft([again.imported, again.errors.map(({ code }: Notice) => code)])
      .toEqual([fixes.length, fixes.length > 0 ? [] : codes]);
  });

  test('has at least 20 rows and 20 addresses of each kind', () => {
    const { rules, errors, redirected, differences, not_redirected } = expected;
    expect(rules.length + errors.length).toBeGreaterThanOrEqual(20);
    expect(Object.keys({ ...redirected, ...differences }).length).toBeGreaterThanOrEqual(20);
    expect(not_redirected.length).toBeGreaterThanOrEqual(20);
  });
});

import { describe, expect, test } from 'vitest';
import { planMarkdown, planText } from '../../src/cli/sync/diff-text.ts';
import { failureLines } from '../../src/cli/expectations.ts';
import { progressText } from '../../src/cli/progress.ts';
import { formatOf } from '../../src/cli/sync/redirects-file.ts';
import type { SyncResult } from '../../src/cli/sync/call-sync.ts';
import { conflictLines, undoText } from '../../src/cli/undo-change.ts';
import { chooseWebsite, type Website } from '../../src/cli/website.ts';

const rule = (more: object) => ({ new_path: '/new', status_code: 301, target_environments: ['production'], ...more });

const plan: SyncResult = {
  sync: { created: 1, updated: 1, deleted: 1, unchanged: 4_732 },
  revision: 7,
  change_id: null,
  deployments: [],
  changes: [
    { kind: 'created', old_path: '/a', before: null, after: rule({ target_environments: ['staging'] }) },
    { kind: 'updated', old_path: '/b', before: rule({}), after: rule({ new_path: '/other', status_code: 302 }) },
    { kind: 'deleted', old_path: '/c|d`e', before: rule({ new_path: null, status_code: 410 }), after: null },
  ],
};

test('a plan is one line per change, then the counts', () => {
  expect(planText(plan)).toBe(
    [
      '+ /a  /new 301 staging',
      '~ /b  new_path: /new -> /other, status_code: 301 -> 302',
      '- /c|d`e  410',
      '1 created, 1 updated, 1 deleted, 4,732 unchanged',
    ].join('\n'),
  );
});

describe('the Markdown of a plan', () => {
  test('is a table that no path can break', () => {
    const text = planMarkdown(plan, { title: 'Redirects of <Shop>' });
    expect(text).toContain('### Redirects of \\<Shop\\>\n');
    expect(text).toContain('| + | `/a` |  | `/new 301 staging` |\n');
    expect(text).toContain('| - | `` /c\\|d`e `` | `410` |  |\n');
    expect(text).not.toContain('Refused');
  });

  test('names the refusal, and how many changes it omits', () => {
    const changes = Array.from({ length: 300 }, (_, at) => ({
      kind: 'deleted',
      old_path: `/${at}`,
      before: rule({}),
      after: null,
    }));
    const sync = { created: 0, updated: 0, deleted: 1_420, unchanged: 0 };
    const text = planMarkdown({ ...plan, sync, changes }, { title: 'Shop', refusal: 'too many\n* deletions' });
    expect(text).toContain('> **Refused:** too many \\* deletions\n');
    expect(text.match(/^\| - \|/gm)).toHaveLength(100);
    expect(text).toContain('and 1,320 more changes');
  });

  test('says that nothing changes', () => {
    const sync = { created: 0, updated: 0, deleted: 0, unchanged: 3 };
    expect(planMarkdown({ ...plan, sync, changes: [] }, { title: 'Shop' })).toContain('No redirect changes.');
  });
});

test('a failed expectation names the URL, what was expected, and what came', () => {
  expect(
    failureLines(
      [
        {
          url: '/pay',
          expected: { status_code: 301, location: '/checkout' },
          actual: { status_code: 404, location: null },
        },
        { url: '/x', expected: { status_code: 302, final: '/y' }, actual: { status_code: 302, final: '/z' } },
      ],
      5,
    ),
  ).toEqual([
    '  /pay: expected 301 to /checkout, got 404 (no redirect)',
    '  /x: expected 302 ending at /y, got 302 ending at /z',
    '  and 3 more',
  ]);
});

test('an undo counts what it did and names what it did not', () => {
  const result = {
    undo: { restored: 2, recreated: 1, deleted: 0, conflicts: 2 },
    conflicts: [
      { redirect_id: '1', old_path: '/a', code: 'CHANGED_SINCE' },
      { redirect_id: '2', old_path: '/b', code: 'CONFLICT' },
    ],
    change_id: 'chg_1',
  };
  expect(undoText(result)).toBe('2 restored, 1 recreated, 0 deleted, 2 not undone');
  expect(conflictLines(result)).toEqual([
    '  /a: not undone, it was changed since',
    '  /b: not undone, another redirect has its path now',
  ]);
});

test.each([
  [progressText('sending'), 'sending'],
  [progressText('sending', 1_234_567), 'sending 1.2 MB'],
  [progressText('sending', 5_000_000, 10_000_000), `sending [${'#'.repeat(12)}${'-'.repeat(12)}] 50 % of 10.0 MB`],
  [progressText('sending', 11_000_000, 10_000_000), `sending [${'#'.repeat(24)}] 100 % of 10.0 MB`],
])('progress is shown as %s', (text, expected) => {
  expect(text).toBe(expected);
});

test.each([
  ['a.csv', 'csv'],
  ['a.CSV', 'csv'],
  ['b/a.ndjson', 'ndjson'],
  ['a.jsonl.gz', 'ndjson'],
  ['a.csv.gz', 'csv'],
  ['a.json', 'json'],
])('%s is %s', (name, format) => {
  expect(formatOf(name)).toBe(format);
});

test.each(['a.txt', 'redirects', '-', 'a.json.gz', 'csv'])('the format of %s is unknown', (name) => {
  expect(() => formatOf(name)).toThrow('name it .csv, .ndjson or .json, or add --format');
});

describe('a website', () => {
  const website = (id: string, name: string, hostname: string): Website => ({
    id,
    name,
    hosts: [{ hostname, environment: 'production' }],
    auto_deploy: true,
    held_environments: [],
  });
  const shop = website('1', 'Shop', 'shop.example');
  const blog = website('2', 'Blog', 'blog.example');

  test.each([
    ['1', shop],
    ['SHOP.example', shop],
    ['blog', blog],
  ])('is found by %s', (wanted, found) => {
    expect(chooseWebsite([shop, blog], wanted)).toBe(found);
  });

  test('need not be named if it is the only one', () => {
    expect(chooseWebsite([shop], undefined)).toBe(shop);
    expect(() => chooseWebsite([shop, blog], undefined)).toThrow(
      'name a website with --website: shop.example (1), blog.example (2)',
    );
    expect(() => chooseWebsite([], undefined)).toThrow('the API key can see no website');
  });

  test('that is unknown or ambiguous is an error with the choices', () => {
    expect(() => chooseWebsite([shop], 'x')).toThrow('there is no website "x": shop.example (1)');
    expect(() => chooseWebsite([shop, website('3', 'shop', 'b')], 'Shop')).toThrow(
      'use an id: shop.example (1), b (3)',
    );
  });
});

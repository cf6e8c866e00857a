/**
 * Errors of createEdge name what is wrong and what to write. Holds the rules of src/edge-library/check-options.ts and
 * check-rules.ts.
 */
import { expect, test, vi } from 'vitest';
import { createEdge } from '../../src/edge-library/edge.ts';
import type { EdgeRule, EdgeWarning } from '../../src/edge-library/types.ts';

const problem = (options: unknown): string => {
  try {
    createEdge(options as Parameters<typeof createEdge>[0]);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return String(error);
  }
};
const warningsOf = (rules: unknown[]): string[] => {
  const warnings: string[] = [];
  const onWarning = ({ index, field, message, rule }: EdgeWarning): void => {
    expect(rule).toBe(rules[index]);
    warnings.push(`rules[${index}]${field && `.${field}`}: ${message}`);
  };
  const edge = createEdge({ rules: rules as EdgeRule[], onWarning });
  expect(edge.handle(new Request('https://shop.example/a'))?.status).toBe(301);
  return warnings;
};

test.each([
  [{ old_path: 'a', new_path: '/b' }, 'rules[1].old_path: must begin with exactly one "/"'],
  [{ new_path: '/b' }, 'rules[1].old_path: must be a path such as /old, or a pattern'],
  [{ old_path: '/x' }, 'rules[1].new_path: a 301 needs a new_path'],
  [{ old_path: '/x', new_path: 1 }, 'rules[1].new_path: must be a text or null'],
  [{ old_path: '/x', new_path: '/y', status_code: 300 }, 'rules[1].status_code: must be one of 301,'],
  [{ old_path: '/x', new_path: '/y', status_code: '301' }, 'rules[1].status_code: must be a number'],
  [{ old_path: '/x', new_path: '/y', is_regex: 'yes' }, 'rules[1].is_regex: must be true or false'],
  [{ old_path: '/(x', new_path: '/y', is_regex: true }, 'rules[1].old_path: '],
  [{ old_path: '/x', new_path: '/x' }, 'rules[1].new_path: old_path and new_path are the same path'],
  [
    { old_path: '/%61', new_path: '/c' },
    'rules[1].old_path: is that of rules[0] too, which applies; remove one of them',
  ],
  [{ old_path: '/x', new_path: '/y', status: 302 }, 'rules[1].status: is not a field; the fields are id, old_path'],
  [{ old_path: '/x', new_path: '/y', active_from: 'soon' }, 'rules[1].active_from: is "soon"; it must be a time'],
  [{ old_path: '/x', new_path: '/y', active_until: 5 }, 'rules[1].active_until: must be a time such as'],
  [{ id: 0, old_path: '/x', new_path: '/y' }, 'rules[1].id: must be a whole number above 0'],
  [null, 'rules[1]: must be an object such as {old_path: "/old", new_path: "/new"}'],
])('the rule %j is skipped with a warning that names index and field', (rule, message) => {
  expect(warningsOf([{ old_path: '/a', new_path: '/b' }, rule])).toEqual([expect.stringContaining(message)]);
});

test('a warning that throws rejects the list', () => {
  const onWarning = ({ message }: EdgeWarning): void => {
    throw new Error(message);
  };
  expect(() => createEdge({ rules: [{ old_path: '/a', new_path: '/a' }], onWarning })).toThrow('the same path');
});

const FEED = { url: 'https://detour.example.com', key: 'dtr_x', website: 7 };

test.each([
  [{}, 'rules: pass rules, or url, key and website to follow the feed of a website'],
  [{ rules: {} }, 'rules: must be a list of rules'],
  [{ rules: [], key: 'k' }, 'key: is for a feed; omit it, or omit rules'],
  [{ rules: [], trailingSlash: 'exact' }, 'trailingSlash: is not an option; the options are case_sensitive,'],
  [{ rules: [], trailing_slash: 'strict' }, 'trailing_slash: must be one of ignore, exact'],
  [{ rules: [], onlyOn404: 1 }, 'onlyOn404: must be true or false'],
  [{ rules: [], fallback_url: '/home' }, 'fallback_url: must be null, or an http or https URL without query'],
  [{ rules: [], hosts: ['https://a.example'] }, 'hosts[0]: must be a host in ASCII without scheme and port'],
  [{ rules: [], now: 5 }, 'now: must be a function'],
  [{ rules: [], onWarning: 5 }, 'onWarning: must be a function'],
  [{ ...FEED, url: 'detour.example.com' }, 'url: must be the URL of the service, such as https://detour.example.com'],
  [{ ...FEED, key: undefined }, 'key: must be an API key; read scope is enough'],
  [{ ...FEED, website: 'shop' }, 'website: must be the id of a website, such as "7"'],
  [{ ...FEED, environment: 'live' }, 'environment: must be one of production, staging, development'],
  [{ ...FEED, fetch: 'no' }, 'fetch: must be a function like the global fetch'],
])('the options %j are rejected by name', (options, message) => {
  expect(problem(options)).toContain(`createEdge: ${message}`);
});

test('without onWarning, one line lists the first 20 problems', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  createEdge({ rules: Array.from({ length: 30 }, () => ({ old_path: 'a', new_path: '/b' })) });
  const [lines] = [warn.mock.calls];
  warn.mockRestore();
  expect(lines).toEqual([
    [expect.stringContaining('rules[19].old_path: must begin with exactly one "/", such as /old-page; and 10 more')],
  ]);
});

test('other hosts than those of the application are left alone', () => {
  const edge = createEdge({ rules: [{ old_path: '/a', new_path: '/b' }], hosts: ['shop.example', '*.Stage.example'] });
  const status = (url: string): number | undefined => edge.handle(new Request(url))?.status;
  expect(['https://shop.example:8443/a', 'https://x.y.stage.example/a'].map(status)).toEqual([301, 301]);
  expect(['https://other.example/a', 'https://stage.example/a'].map(status)).toEqual([undefined, undefined]);
});

test('nothing is requested, and no randomness is used, before the first request', async () => {
  let requests = 0;
  const edge = createEdge({ ...FEED, fetch: () => Promise.reject(new Error(`away ${++requests}`)) });
  expect(requests).toBe(0);
  await expect(edge.ready()).rejects.toThrow('https://detour.example.com: away 1');
  expect(edge.handle(new Request('https://shop.example/a'))).toBeNull();
  await edge.close();
});

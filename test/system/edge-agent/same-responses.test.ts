/**
 * A real agent and its service send the same heads: for the rules and requests of the resolver's cases, all in one
 * website for each combination of options, and for thousands of variations of these requests. Repeat with FUZZ_SEED.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentFolder, type AgentProcess, openAgentFolder } from '../../support/agent-process.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { heads } from '../../support/pipeline.ts';
import { seeded } from '../../support/random.ts';
import { createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 17);
const CASES = join(import.meta.dirname, '../../resolver/cases');
const VARIATIONS_PER_SITE = 1_000;

interface Case {
  rules: string[];
  request: string;
}

const cases = readdirSync(CASES).flatMap((file): Case[] => JSON.parse(readFileSync(join(CASES, file), 'utf8')));
const OPTIONS = [true, false].flatMap((case_sensitive) =>
  ['ignore', 'exact'].flatMap((trailing_slash) =>
    ['pass', 'drop', 'exact'].map((query) => ({ case_sensitive, trailing_slash, query })),
  ),
);
const hostOf = (index: number): string => `same-${index}.example.com`;

let detour: TestDetour;
let owner: TestAccount;
let folder: AgentFolder;
let agent: AgentProcess;

/** A rule of a case: `/from -> /to`, with `~` before a pattern and a status before the target. */
function ruleOf(text: string) {
  const [, pattern, from = '', status, to] = /^(~?)(.*?) -> (?:(\d{3}) ?)?(\/.*|https?:.*)?$/su.exec(text) ?? [];
  const target = to === undefined ? {} : { new_path: to };
  return { old_path: from, is_regex: pattern === '~', status_code: Number(status ?? 301), ...target };
}

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
  folder = openAgentFolder();
  const redirects = [
    ...new Map(cases.flatMap(({ rules }) => rules.map(ruleOf)).map((rule) => [rule.old_path, rule])).values(),
  ];
  const ids = await Promise.all(
    OPTIONS.map(async (options, index) => {
      const id = await createSite(owner, [hostOf(index)], { ...options, allowed_target_hosts: ['x.example'] });
      const { status, text } = await owner.keyCall('POST', '/api/v1/redirects/bulk', {
        website_id: String(id),
        redirects,
      });
      expect(status, text).toBe(200);
      await settled(owner, id, undefined, 60_000);
      return id;
    }),
  );
  agent = await folder.start(
    ids.flatMap((id) => ['--website', String(id)]),
    { DETOUR_URL: detour.address, DETOUR_API_KEY: owner.key },
  );
  await until(async () => (await fetch(`${agent.adminAddress}/ready`)).status === 200, 60_000);
}, 180_000);

afterAll(async () => {
  await folder?.clear();
  await detour?.stop();
});

function varied(request: string, random: () => number): string {
  const kind = Math.floor(random() * 6);
  if (kind === 0) return request.toUpperCase();
  if (kind === 1) return request.replace(/\/?(\?|$)/, '/$1');
  if (kind === 2) return `${request}${request.includes('?') ? '&' : '?'}x=${Math.floor(random() * 9)}&a=%20`;
  if (kind === 3) return request.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  if (kind === 4) return request.slice(0, 1 + Math.floor(random() * request.length));
  return `${request}${'abc/%7e'.slice(0, Math.floor(random() * 7))}`;
}

test('every head is the same', async () => {
  const random = seeded(SEED);
  const requests = cases.map(({ request }) => request).filter((request) => /^\/[\x21-\x7e]*$/.test(request));
  let redirects = 0;
  for (const index of OPTIONS.keys()) {
    const host = hostOf(index);
    const more = Array.from({ length: VARIATIONS_PER_SITE }, () =>
      varied(requests[Math.floor(random() * requests.length)] ?? '/', random),
    );
    const asked = [...requests, ...more].map((target) => ({ host, target }));
    const [ours, theirs] = await Promise.all(
      [detour.address, agent.address].map((address) => heads(Number(new URL(address).port), asked)),
    );
    const differences = asked.flatMap(({ target }, at) =>
      ours?.[at]?.text === theirs?.[at]?.text ? [] : [`${target}: ${theirs?.[at]?.text}, and not ${ours?.[at]?.text}`],
    );
    expect(differences.slice(0, 5), `repeat with FUZZ_SEED=${SEED}`).toEqual([]);
    redirects += ours?.filter(({ location }) => location !== undefined).length ?? 0;
  }
  expect(redirects).toBeGreaterThan(OPTIONS.length * 200);
});

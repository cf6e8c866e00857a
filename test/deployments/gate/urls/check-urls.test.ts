/** Compares the check with a naive one over followHops, on random websites in a real database. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../../../src/db/connection/client.ts';
import { matchesAny } from '../../../../src/deployments/gate/urls/accepted.ts';
import { checkUrls } from '../../../../src/deployments/gate/urls/check-urls.ts';
import { readUrls } from '../../../../src/deployments/gate/urls/read-urls.ts';
import { followHops } from '../../../../src/resolver/follow.ts';
import { parseLocation } from '../../../../src/resolver/location.ts';
import { createOwnHosts, type Host } from '../../../../src/resolver/own-hosts.ts';
import type { Rule } from '../../../../src/resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../../../../src/resolver/ruleset.ts';
import { ownUrl } from '../../../../src/rules/url-key.ts';
import { type Environment, ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { UrlState } from '../../../../src/vocabulary/urls.ts';
import { optionsFrom, ruleOf, runToEnd } from '../../../resolver/rules.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/database.ts';
import { seeded } from '../../../support/random.ts';
import { storeUrls } from '../../../support/urls.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  await database.db.$client.query(`insert into accounts (plan) values ('pro')`);
});
afterAll(() => database.close());

const ROUNDS = 40;
const NOW = Date.UTC(2030, 0, 1);
const PAGE_PARAMETERS = new Set(['id']);
const PARTS = ['a', 'b', 'c', 'A', 'd/', 'e/f', 'g?id=1', 'g?id=2', 'h', 'i', 'j', 'k', 'l'];
const HOSTS: Host[] = [
  { hostname: 'one.example', environment: 'production' },
  { hostname: 'two.example', environment: 'production' },
  { hostname: 'three.example', environment: 'staging' },
  {
    hostname: 'moved.example',
    environment: 'production',
    redirectTo: { url: 'https://one.example', statusCode: 301, keepPath: true },
  },
];

interface Website {
  ruleset: Ruleset;
  rules: Rule[];
  states: Map<string, UrlState>;
  environment: Environment;
  host: string;
  options: ReturnType<typeof optionsFrom>;
}

function randomWebsite(random: () => number): Website {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const path = (): string => `/${pick(PARTS)}`;
  const target = (): string =>
    random() < 0.6
      ? path()
      : `${pick(['https://one.example', 'https://moved.example', 'https://x.example', 'https://three.example'])}${path()}`;
  const draft = emptyRuleset().fork();
  const rules: Rule[] = [];
  for (let id = 1; id <= 14; id++) {
    const isGone = random() < 0.12;
    const from = random() < 0.15 ? `~/(${pick(['a', 'b', 'h'])})${pick(['', '.*'])}` : path();
    const group = from.startsWith('~') && random() < 0.5 ? '/$1x' : target();
    const rule = ruleOf(`${from} -> ${isGone ? '410' : group}`, id);
    if (random() < 0.25)
      rule.window = pick([
        { from: NOW + 1_000, until: null },
        { from: null, until: NOW + 2_000 },
        { from: null, until: NOW - 1 },
      ]);
    if (draft.get(rule.key)) continue;
    draft.add(rule);
    rules.push(rule);
  }
  const states = new Map(
    PARTS.flatMap((part): [string, UrlState][] =>
      random() < 0.8 ? [[`/${part}`, pick(['living', 'removed', 'known'])]] : [],
    ),
  );
  const environment = pick(ENVIRONMENTS.slice(0, 2));
  const host = environment === 'staging' ? 'three.example' : pick(['one.example', 'two.example', 'moved.example']);
  const options = optionsFrom({
    case_sensitive: random() < 0.5,
    trailing_slash: pick(['ignore', 'exact']),
    query: pick(['pass', 'drop', 'exact']),
  });
  return { ruleset: draft.seal(), rules, states, environment, host, options };
}

/** The answer of a URL, told by the hops of the resolver. */
function naive({ ruleset, states, environment, host, options }: Website, url: string, at: number, from = host): string {
  const hosts = createOwnHosts(HOSTS, environment);
  const [path = '', query = null] = url.split('?');
  const request = { path, query, ...(from !== '' && { host: from }) };
  const fixed: Pick<Ruleset, 'match'> = { match: (each, how) => ruleset.match(each, how, at) };
  const { hops, outcome, finalUrl } = runToEnd(followHops(fixed, request, options, hosts));
  const state = states.get(ownUrl(url, PAGE_PARAMETERS).url);
  if (hops.length === 0) return state === 'living' ? 'living' : state === 'removed' ? 'lost' : 'none';
  if (state === 'living' && hops[0]?.ruleId !== null) return 'shadowed';
  if (outcome === 'gone' || outcome === 'external') return outcome === 'gone' ? 'gone' : 'redirected';
  if (outcome !== 'end') return 'lost';
  return states.get(ownUrl(finalUrl, PAGE_PARAMETERS).url) === 'removed' ? 'lost' : 'redirected';
}

function naiveDangling(website: Website): string[] {
  const hosts = createOwnHosts(HOSTS, website.environment);
  return website.rules
    .filter(({ newPath, isRegex, window }) => {
      if (newPath === null || (isRegex && newPath.includes('$'))) return false;
      if (window && ((window.from ?? 0) > NOW || (window.until ?? Infinity) <= NOW)) return false;
      const { host, path, query } = parseLocation(newPath);
      if (host !== undefined && !hosts.has(host)) return false;
      const url = query === null ? path : `${path}?${query}`;
      const own = hosts.servesRules(website.host) ? website.host : '';
      const answer = naive(website, url, NOW, host ?? own);
      return answer === 'lost' || answer === 'none';
    })
    .map(({ key }) => key)
    .sort();
}

test.each(Array.from({ length: ROUNDS }, (_, seed) => seed))(
  'a random website is classified as naively (seed %d)',
  async (seed) => {
    const random = seeded(seed);
    const website = randomWebsite(random);
    const { environment, states, host, options, ruleset } = website;
    const { $client } = database.db;
    const { rows } = await $client.query(
      `insert into websites (account_id, name, page_parameters) values (1, 'x', '{id}') returning id`,
    );
    const websiteId = rows[0].id;
    // Staging without lists has those of production.
    const listed = environment === 'staging' && random() < 0.5 ? 'production' : environment;
    const stored = [...states].map(([url, state], at) => ({ url, state, clicks: at % 3, links: at % 2 }));
    await storeUrls(database.db, websiteId, stored, listed);
    const urls = await withClient(database.db, (client) => readUrls(client, { websiteId, environment }));
    const isAccepted = matchesAny(['/h*']);
    const site = { options, hosts: createOwnHosts(HOSTS, environment), host };
    const check = await checkUrls(urls, { ruleset, site, at: new Date(NOW), isAccepted });

    const counts = { living: 0, shadowed: 0, redirected: 0, gone: 0, lost: 0, accepted: 0, none: 0 };
    const lost: string[] = [];
    for (const { url } of stored.toSorted((a, b) => weight(b) - weight(a) || (a.url < b.url ? -1 : 1))) {
      const answer = naive(website, url, NOW);
      const found = answer === 'lost' && isAccepted(url) ? 'accepted' : answer;
      counts[found as keyof typeof counts]++;
      if (found === 'lost') lost.push(url);
    }
    expect(check.counts).toEqual({ urls: states.size, answers: counts, dangling: naiveDangling(website).length });
    expect((await check.rows('dangling', { limit: 100 })).map(({ url }) => url)).toEqual(naiveDangling(website));
    const pages: string[] = [];
    for (let after: { weight: number; url: string } | undefined; ;) {
      const page = await check.rows('lost', { limit: 2, after });
      pages.push(...page.map(({ url }) => url));
      after = page.at(-1);
      if (page.length < 2) break;
    }
    expect(pages).toEqual(lost);
    const losesAt = check.losesAt?.getTime();
    const isLost = (at: number): boolean =>
      stored.some(({ url }) => {
        const isAnswered = (answer: string) => answer === 'redirected' || answer === 'gone';
        return isAnswered(naive(website, url, NOW)) && !isAnswered(naive(website, url, at)) && !isAccepted(url);
      });
    if (losesAt !== undefined) expect(isLost(losesAt)).toBe(true);
    for (const at of [NOW + 1_000, NOW + 2_000])
      if (losesAt !== undefined && at < losesAt) expect(isLost(at)).toBe(false);
    // A rule that only ends is on the chain that it answers.
    if (losesAt === undefined && !website.rules.some(({ window }) => window?.from))
      expect(isLost(NOW + 2_000)).toBe(false);
  },
);

const weight = ({ clicks, links }: { clicks: number; links: number }): number => 10 * links + clicks;

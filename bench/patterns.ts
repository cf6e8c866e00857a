/** The slowest request of websites with many patterns: paths as visitors send them, and hostile ones. */
import { visit } from './client.ts';
import { type Bench, createWebsite, untilServed } from './context.ts';
import { report } from './report.ts';
import type { Service } from './service.ts';
import { deployed } from './visitors.ts';

const MAX_PATTERNS = 10_000;
const REQUESTS = 300;
const EXACT = 'exact';
/** Stops early if requests are this slow. */
const BUDGET_MS = 30_000;

interface PatternSet {
  name: string;
  pattern: (index: number) => string;
  count: number;
}

/** Distinct patterns without distinct literals: every one has to be tried on a path of many b. */
const classes = (index: number): string =>
  Array.from({ length: 14 }, (_, bit) => ((index >> bit) & 1 ? '[ab]' : '[bc]')).join('');

/** Natural: redirects of moved sections. Hostile: ambiguous patterns that almost match. */
const WITH_PREFIX: PatternSet[] = [
  { name: 'natural', pattern: (i) => `/articles/([0-9]+)/([a-z-]+)-${i}`, count: MAX_PATTERNS },
  { name: 'hostile', pattern: (i) => `/articles/.*${classes(i)}.*[xy]`, count: MAX_PATTERNS },
];
const WITHOUT_PREFIX: PatternSet[] = [
  { name: 'natural', pattern: (i) => `/(.+)/page-${i}\\.html`, count: MAX_PATTERNS },
  { name: 'hostile', pattern: (i) => `/.*${classes(i)}.*[xy]`, count: MAX_PATTERNS },
];
const NATURAL_PATHS = (i: number): string[] => [
  `/articles/2024/summer-sale-${i}`,
  `/articles/${i}/`,
  `/articles/shop/camera/page-${i}.html`,
];
/** Patterns are tried on paths of up to 2,048 bytes. */
const HOSTILE_PATHS = ['b', 'abc', '1/a-', '%C3%A4', 'page-1.htm'].map((text) =>
  `/articles/${text.repeat(2_030)}`.slice(0, 2_040),
);

export async function measurePatterns(bench: Bench): Promise<void> {
  const service = await bench.service();
  for (const [row, sets] of [
    ['patternsPrefix', WITH_PREFIX],
    ['patternsNone', WITHOUT_PREFIX],
  ] as const) {
    const slowest: number[] = [];
    const raw: Record<string, number | string> = {};
    for (const set of sets) {
      const { accepted, times } = await measureSet(service, `${row}-${set.name}`.toLowerCase(), set);
      raw[`${set.name} patterns`] = `${accepted} of ${set.count} accepted`;
      for (const [kind, ms] of Object.entries(times)) {
        raw[`${kind} paths ms`] = ms;
        if (!kind.endsWith(EXACT)) slowest.push(ms);
      }
    }
    report(row, Math.max(...slowest), raw);
  }
}

/** Returns how many patterns the service accepted, and the slowest request of each kind of paths. */
async function measureSet(
  service: Service,
  name: string,
  { name: kind, pattern, count }: PatternSet,
): Promise<{ accepted: number; times: Record<string, number> }> {
  const website = await createWebsite(service, name, false);
  const redirects = Array.from({ length: count }, (_, i) => ({
    old_path: pattern(i),
    new_path: '/target',
    is_regex: true,
  }));
  redirects.push({ old_path: '/first', new_path: '/target', is_regex: false });
  const body = Buffer.from(JSON.stringify({ website_id: String(website.id), redirects }));
  const answer = await service.post('/api/v1/redirects/bulk', 'application/json', only(body));
  await deployed(service, '/api/deployments', { website_id: website.id, environment: 'production' });
  await untilServed(service, website.host, '/first');
  const times: Record<string, number> = {};
  const slowestOf = async (label: string, path: (i: number) => string): Promise<void> => {
    const start = performance.now();
    let slowest = 0;
    for (let i = 0; i < REQUESTS && performance.now() - start < BUDGET_MS; i++) {
      const sent = performance.now();
      await visit(service.address, website.host, path(i));
      slowest = Math.max(slowest, performance.now() - sent);
    }
    times[`${kind} patterns, ${label}`] = slowest;
  };
  // An exact rule needs no pattern: the share of the machine.
  await slowestOf(EXACT, () => '/first');
  await slowestOf('natural', (i) => NATURAL_PATHS(i)[i % 3] ?? '/');
  await slowestOf('hostile', (i) => HOSTILE_PATHS[i % HOSTILE_PATHS.length] ?? '/');
  await service.call('DELETE', `/api/websites/${website.id}?force=true`);
  return { accepted: acceptedOf(answer), times };
}

async function* only(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

/** The number of created redirects, without the exact one. */
function acceptedOf(answer: string): number {
  return Number(/"created":\s*(\d+)/.exec(answer)?.[1] ?? NaN) - 1;
}

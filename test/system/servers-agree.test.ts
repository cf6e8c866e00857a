/**
 * nginx, Apache and Caddy with exported configurations respond like the service: to the cases of the resolver, and to
 * generated rules and requests. Repeat with FUZZ_SEED. docs/delivery.md lists what they cannot express.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { canonicalPath } from '../../src/resolver/spelling/canonical-path.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { type Head, heads } from '../support/pipeline.ts';
import { seeded } from '../support/random.ts';
import { createSite, settled } from '../support/site.ts';
import { inSoak } from '../support/soak.ts';
import { serverFolder, type ServerName, startServer } from '../support/web-servers.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 15);
const SERVERS: ServerName[] = ['nginx', 'apache', 'caddy'];
const REQUESTS_PER_SITE = inSoak(8_400, 150);
/** The website of a case takes a second on a busy machine. */
const EVERY_CASE = inSoak(1, 9);
const PARALLEL = 6;

interface Rule {
  old_path: string;
  new_path?: string;
  status_code?: number;
  is_regex: boolean;
}

interface Site {
  host: string;
  id: number;
  targets: string[];
}

let detour: TestDetour;
let owner: TestAccount;
let folder: string;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
  folder = serverFolder();
});
afterAll(async () => {
  await detour.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function inParallel<T, R>(items: T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queue = items.map((item, index) => ({ item, index }));
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next.index] = await work(next.item, next.index);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return results;
}

/** A website with these rules live, or undefined if the service rejects a rule. */
async function openSite(host: string, options: object, rules: Rule[]): Promise<number | undefined> {
  const id = await createSite(owner, [host], { allowed_target_hosts: TARGET_HOSTS, ...options });
  const { status } = await owner.keyCall('PUT', `/api/v1/websites/${id}/redirects`, { redirects: rules });
  if (status !== 200) return undefined;
  await settled(owner, id, undefined, 60_000);
  return id;
}

const TARGET_HOSTS = [
  'example.com',
  'example.org',
  'www.example',
  'www.example.com',
  'allowed.example.com',
  'x.example',
];

/** The configuration of a website, or undefined if the server cannot express one of its rules. */
async function exported(id: number, format: ServerName): Promise<string | undefined> {
  const { status, text } = await owner.keyCall(
    'GET',
    `/api/v1/redirects/bulk/export?website_id=${id}&format=${format}`,
  );
  return status === 200 ? text : undefined;
}

/** Each website as a site of one server. nginx has one namespace of variables: each website gets its own names. */
const SITE: Record<ServerName, (host: string, port: number, file: string, id: number) => string> = {
  nginx: (host, port, file, id) => `include ${file};
server { listen 127.0.0.1:${port}; server_name ${host}; root /none; absolute_redirect off;
${[301, 302, 303, 307, 308].map((status) => `if ($detour${id}_status = ${status}) { return ${status} $detour${id}_location; }`).join('\n')}
if ($detour${id}_status = 410) { return 410; } if ($detour${id}_status = 451) { return 451; } }`,
  apache: (host, port, file) => `<VirtualHost 127.0.0.1:${port}>
ServerName ${host}
AllowEncodedSlashes NoDecode
Include ${file}
</VirtualHost>`,
  caddy: (host, port, file) => `http://${host}:${port} {
	bind 127.0.0.1
	import ${file}
	respond 404
}`,
};

const HEAD: Record<ServerName, (port: number) => string> = {
  nginx: () => 'map_hash_max_size 4096; map_hash_bucket_size 4096; server_names_hash_max_size 8192;\n',
  apache: (port) => `Listen 127.0.0.1:${port}\n`,
  caddy: () => '',
};

interface Compared {
  requests: number;
  redirects: number;
  differences: string[];
}

/** Starts the server with all websites, and compares its responses with those of the service. */
async function compare(name: ServerName, sites: Site[]): Promise<Compared> {
  const port = await freePort('127.0.0.1');
  const configurations = await inParallel(sites, ({ id }) => exported(id, name));
  const expressed = sites.filter((_, at) => configurations[at] !== undefined);
  const parts = expressed.map((site) => {
    const file = join(folder, `${name}-${site.id}.conf`);
    const text = configurations[sites.indexOf(site)] ?? '';
    writeFileSync(file, name === 'nginx' ? text.replaceAll('detour_', `detour${site.id}_`) : text);
    return SITE[name](site.host, port, file, site.id);
  });
  const server = await startServer(name, {
    site: HEAD[name](port) + parts.join('\n'),
    port,
    folder,
    admin: await freePort('127.0.0.1'),
  });
  const compared: Compared = { requests: 0, redirects: 0, differences: [] };
  try {
    for (const site of expressed) {
      const { host, targets } = site;
      const asked = targets.map((target) => ({ host, target }));
      const theirs = await heads(port, asked);
      const ours = await expectedHeads(site, asked);
      compared.requests += targets.length;
      targets.forEach((target, at) => {
        const [one, other] = [textOf(theirs[at], host, port), textOf(ours[at], host, port)];
        if (ours[at]?.status !== 404) compared.redirects++;
        if (one !== other) compared.differences.push(`${host} ${target}: ${one}, and not ${other}`);
      });
    }
  } finally {
    await server.stop();
  }
  return compared;
}

const known = new Map<string, Promise<Head[]>>();

/** The responses of the service, which are the same for each server. */
function expectedHeads({ host }: Site, asked: { host: string; target: string }[]): Promise<Head[]> {
  const found = known.get(host) ?? heads(Number(new URL(detour.address).port), asked);
  known.set(host, found);
  return found;
}

/** Apache makes every target an absolute URL. */
function textOf(head: Head | undefined, host: string, port: number): string {
  const own = [`http://${host}:${port}`, `http://${host}`].find((prefix) => head?.location?.startsWith(`${prefix}/`));
  return `${head?.status} ${own === undefined ? head?.location : head?.location?.slice(own.length)}`;
}

describe('the cases of the resolver', () => {
  const FOLDER = join(import.meta.dirname, '../resolver/cases');
  const sites: Site[] = [];

  beforeAll(async () => {
    const cases = readdirSync(FOLDER).flatMap((file): Case[] => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));
    const some = cases.filter(isComparable).filter((_, at) => at % EVERY_CASE === SEED % EVERY_CASE);
    const ids = await inParallel(some, async ({ rules, options = {}, request }, index) => {
      const host = `c${index}.example.com`;
      const id = await openSite(host, options, rules.map(ruleOf));
      return id === undefined ? undefined : { host, id, targets: [request] };
    });
    sites.push(...ids.filter((site) => site !== undefined));
    expect(sites.length).toBeGreaterThan(150 / EVERY_CASE);
  }, 300_000);

  test.each(SERVERS)('%s responds as the service', async (name) => {
    const { requests, redirects, differences } = await compare(name, sites);
    expect(differences.slice(0, 20)).toEqual([]);
    expect([requests > 100 / EVERY_CASE, redirects > 60 / EVERY_CASE]).toEqual([true, true]);
  });
});

interface Case {
  name: string;
  rules: string[];
  options?: object;
  request: string;
  raw?: boolean;
  host?: string;
}

/** Differences that docs/delivery.md lists, besides the spelling of paths. */
const DOCUMENTED = [
  "a hash in a request's query does not begin a fragment",
  'a query of separators adds nothing',
  'separators around a parameter are omitted',
  'a longer path is not tried',
  'a dropped query is a different request',
  'the next pattern is tried',
  'the second of two slashes is ignored',
];

/** The cases whose request has its canonical spelling, on the website's only host. */
function isComparable({ name, request, raw, host }: Case): boolean {
  const path = request.split('?')[0] ?? '';
  return (
    !DOCUMENTED.includes(name) &&
    !raw &&
    host === undefined &&
    /^\/[\x21-\x7e]*$/.test(request) &&
    canonicalPath(path) === path
  );
}

/** A rule of a case: `/from -> /to`, with `~` before a pattern and a status before the target. */
function ruleOf(text: string): Rule {
  const [, pattern, from = '', status, to] = /^(~?)(.*?) -> (?:(\d{3}) ?)?(\/.*|https?:.*)?$/su.exec(text) ?? [];
  const target = to === undefined ? {} : { new_path: to };
  return { old_path: from, is_regex: pattern === '~', status_code: Number(status ?? 301), ...target };
}

describe('generated rules', () => {
  const sites: Site[] = [];

  beforeAll(async () => {
    const random = seeded(SEED);
    const options = [true, false].flatMap((case_sensitive) =>
      ['ignore', 'exact'].flatMap((trailing_slash) =>
        ['pass', 'drop', 'exact'].map((query) => ({ case_sensitive, trailing_slash, query })),
      ),
    );
    const plans = options.map((each) => ({ options: each, ...generate(random) }));
    const ids = await inParallel(plans, async (plan, index) => {
      const host = `g${index}.example.com`;
      return { host, id: await openSite(host, plan.options, plan.rules), targets: plan.targets };
    });
    for (const { host, id, targets } of ids) if (id !== undefined) sites.push({ host, id, targets });
    expect(sites.length).toBe(options.length);
  }, 300_000);

  test.each(SERVERS)('%s responds as the service', async (name) => {
    const { requests, redirects, differences } = await compare(name, sites);
    expect(differences.slice(0, 20), `repeat with FUZZ_SEED=${SEED}`).toEqual([]);
    expect(requests).toBe(sites.length * REQUESTS_PER_SITE);
    expect(redirects).toBeGreaterThan(requests / 3);
  });
});

const SEGMENTS = [
  'a',
  'B',
  'ab',
  'news',
  'x.html',
  '1-2',
  'a%20b',
  '%7Bid%7D',
  "q'",
  '$1',
  '+',
  '(a)',
  '[b]',
  '~c',
  'a;b',
  "o'|",
];
const PATTERNS: [from: string, to: string | undefined][] = [
  ['/p/(\\d+)/(.*)', '/to/$2/$1'],
  ['/p/(.*)', '/to/rest/$1'],
  ['/blog/([a-z]+)-(\\d{2,4})', 'https://allowed.example.com/$1'],
  ['/blog/.*', '/to/blog'],
  ['/(a|ab)/news/?', '/to/$1'],
  ['/shop(/[^/]+)?', '/to/shop$1'],
  ['/shop/x.*', undefined],
  ['/find/(.*)', '/to/find?x=$1&utm=d'],
  ['/find/x/(.*)', 'https://allowed.example.com/$1?y=c?d'],
  ['/[A-C]+\\.html', '/to/letters'],
];
const QUERIES = [
  '',
  '',
  '?',
  '?x=1',
  '?x=1&y=%20',
  '?utm=a+b&utm=c',
  '?b=2&x=1&a=?&%78=3&q%5b%5D=4&xx&q[]',
  '?x&y&x&q[]=\'&y=$1&x="',
];

const PAIRS = [
  'k=1',
  'k=2',
  'y',
  'x=1',
  'Q%5B%5D=a%20b',
  'u=http://e.example/a.b/c.pdf?d',
  'v=%C3%A9%2B',
  'w=a%3Db%26$1',
  "o=(a|b)*'".replace('|', '%7C'),
];

const TO = ['/to/AT', '/to/AT#part', 'https://x.example/y', '/to/AT?x=1', 'https://x.example/y?q[]=1&y=AT#part'];

/** Rules that every server can express, and requests in the spellings that browsers send. */
function generate(random: () => number): { rules: Rule[]; targets: string[] } {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const path = (): string => {
    const segments = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(SEGMENTS));
    return `/${segments.join('/')}${random() < 0.3 ? '/' : ''}`;
  };
  const literals = new Map<string, Rule>();
  for (let at = 0; at < 80; at++) {
    const from = canonicalPath(path());
    // nginx cannot express two paths that differ only by case.
    const key = from.toLowerCase();
    const target = random() < 0.1 ? {} : { new_path: pick(TO).replace('AT', String(at)) };
    const status = 'new_path' in target ? pick([301, 302, 303, 307, 308]) : pick([410, 451]);
    if (!literals.has(key)) literals.set(key, { old_path: from, is_regex: false, status_code: status, ...target });
  }
  const patterns = PATTERNS.map(([from, to]): Rule => ({
    old_path: from,
    is_regex: true,
    ...(to === undefined ? { status_code: 410 } : { new_path: to, status_code: pick([301, 302]) }),
  }));
  const required = new Map<string, Rule>();
  const paths = Array.from({ length: 12 }, () => (random() < 0.6 ? pick([...literals.values()]).old_path : path()));
  const spellings = new Set<string>();
  for (const from of paths.map(canonicalPath)) {
    // Servers cannot express required queries of paths that differ only by case or by the final slash.
    const spelling = from.toLowerCase().replace(/(?<=.)\/$/, '');
    if (spellings.has(spelling)) continue;
    spellings.add(spelling);
    for (const pair of PAIRS.filter(() => random() < 0.6)) {
      const target = random() < 0.1 ? {} : { new_path: pick([...TO, from]).replace('AT', `r${required.size}`) };
      const status = 'new_path' in target ? pick([301, 308]) : 410;
      required.set(`${from}?${pair}`, { old_path: `${from}?${pair}`, is_regex: false, status_code: status, ...target });
    }
  }
  const rules = [...required.values(), ...literals.values(), ...patterns];
  const asked = (): string => {
    const kind = random();
    if (kind < 0.45) return varied(pick([...literals.values()]).old_path, random);
    if (kind < 0.6) return canonicalPath(path());
    const inner = pick(['12/x', '12/', 'x', '7', '', 'abc-12', 'abc-12345', 'ABC-1234', 'x/y', 'xyz', '[x]|^%5B']);
    return varied(
      pick(['/p/', '/blog/', '/shop/', '/find/', '/find/x/', '/a/news/', '/ab/news', '/AB.html', '/']) + inner,
      random,
    );
  };
  const requiring = (): string => {
    const [from = '', pair = ''] = pick([...required.keys()]).split(/\?(.*)/);
    const others = [pick(PAIRS), pick(['z=1', 'kk=1', 'b=2', 'x=9'])].filter(
      (other) => other !== pair && random() < 0.4,
    );
    const kind = random();
    const spelled = kind < 0.3 ? respelled(pair) : kind < 0.4 ? `${pair}x` : kind < 0.5 ? pair.toUpperCase() : pair;
    const query = random() < 0.5 ? [...others, spelled] : [spelled, ...others];
    return `${varied(from, random)}?${query.join('&')}`;
  };
  const target = (): string => (random() < 0.35 ? requiring() : asked() + pick(QUERIES));
  return { rules, targets: Array.from({ length: REQUESTS_PER_SITE }, target) };
}

/** Another spelling of the same parameter. */
const respelled = (pair: string): string =>
  pair
    .replaceAll('%20', '+')
    .replaceAll('%5B', '[')
    .replace('%3D', '=')
    .replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())
    .replace(/[./:a-f?]/, (character) => `%${character.charCodeAt(0).toString(16)}`);

function varied(path: string, random: () => number): string {
  const kind = random();
  if (kind < 0.2) return path.endsWith('/') && path !== '/' ? path.slice(0, -1) : `${path}/`;
  if (kind < 0.35) return path.replace(/%..|[a-z]/g, (found) => (found.length > 1 ? found : found.toUpperCase()));
  if (kind < 0.45) return path.replaceAll('%5B', '[').replace('%5D', ']').replace('%7C', '|');
  return kind < 0.5 ? `${path}x` : path;
}

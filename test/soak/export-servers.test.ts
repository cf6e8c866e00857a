/** Loads exported configurations into real servers and requests every rule: they must respond as the edge does. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { canonicalPath } from '../../src/resolver/spelling/canonical-path.ts';
import { slashTwin } from '../../src/resolver/precedence.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { apacheConfiguration, startProgram } from '../support/server-program.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let folder: string;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
  folder = await mkdtemp(join(tmpdir(), 'detour-servers-'));
  await chmod(folder, 0o755);
});
afterAll(async () => {
  await detour.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Said {
  status: number;
  location: string | undefined;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

function ask(port: number, host: string, path: string): Promise<Said> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ agent, host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      response.resume().on('end', () => {
        // Apache turns every target into an absolute URL.
        const own = new RegExp(`^http://${host}(:\\d+)?(?=/)`);
        resolve({ status: response.statusCode ?? 0, location: response.headers.location?.replace(own, '') });
      });
    });
    request.on('error', reject).end();
  });
}

interface Server {
  port: number;
  stop(): Promise<void>;
}

const SERVERS: Record<string, (configuration: string) => Promise<Server>> = { nginx, apache, caddy };

async function nginx(configuration: string): Promise<Server> {
  const at = await mkdtemp(join(folder, 'nginx-'));
  const port = await freePort('127.0.0.1');
  await chmod(at, 0o755);
  await writeFile(join(at, 'redirects.conf'), configuration);
  const comments = configuration.split('\n').map((line) => line.replace(/^# {3}/, ''));
  const block = (start: string) => comments.slice(comments.findIndex((line) => line === start) + 1);
  const inHttp = block('# In the http block:').filter((line) => line.startsWith('map_hash_') && line.endsWith(';'));
  const inServer = block('# In the server block:').filter((line) => /^(absolute_redirect|if) .*[;}]$/.test(line));
  await writeFile(
    join(at, 'nginx.conf'),
    `daemon off; pid ${at}/pid; error_log stderr; worker_processes 1;
events {}
http { access_log off; large_client_header_buffers 4 32k; ${inHttp.join('\n')}
include ${at}/redirects.conf;
server { listen 127.0.0.1:${port}; root ${at}/none; ${inServer.join('\n')} } }`,
  );
  return started('nginx', ['-e', 'stderr', '-p', at, '-c', join(at, 'nginx.conf')], port);
}

async function apache(configuration: string): Promise<Server> {
  const at = await mkdtemp(join(folder, 'apache-'));
  const port = await freePort('127.0.0.1');
  await chmod(at, 0o755);
  await mkdir(join(at, 'root'));
  // Apache reads .htaccess on each request, 50 ms for the real file; this configuration is read once.
  const isLarge = configuration.length > 100_000;
  await writeFile(join(at, isLarge ? 'redirects.conf' : 'root/.htaccess'), configuration);
  const inDirectory = isLarge ? `Include ${at}/redirects.conf` : 'AllowOverride FileInfo';
  await writeFile(
    join(at, 'apache.conf'),
    `${apacheConfiguration({ folder: at, port, modules: ['rewrite'] }, inDirectory)}
<FilesMatch "^\\.ht">
Require all denied
</FilesMatch>`,
  );
  return started('apache2', ['-D', 'FOREGROUND', '-f', join(at, 'apache.conf')], port);
}

async function caddy(configuration: string): Promise<Server> {
  const at = await mkdtemp(join(folder, 'caddy-'));
  const port = await freePort('127.0.0.1');
  await writeFile(join(at, 'redirects.caddy'), configuration);
  await writeFile(
    join(at, 'Caddyfile'),
    `{
	admin off
	auto_https off
	storage file_system ${at}/data
}
http://:${port} {
	bind 127.0.0.1
	import ${at}/redirects.caddy
	respond 404
}`,
  );
  return started('caddy', ['run', '--adapter', 'caddyfile', '--config', join(at, 'Caddyfile')], port);
}

async function started(program: string, parameters: string[], port: number): Promise<Server> {
  const isUp = () => ask(port, 'localhost', '/').then(Boolean, () => false);
  return { port, stop: await startProgram(program, parameters, { home: folder, isUp }) };
}

async function exported(websiteId: number, format: string, more = ''): Promise<string> {
  const { status, text } = await owner.keyCall(
    'GET',
    `/api/v1/redirects/bulk/export?website_id=${websiteId}&format=${format}${more}`,
  );
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return text;
}

/** Differences between the server and the edge for these request targets. */
async function differences(port: number, host: string, targets: string[]): Promise<string[]> {
  const edge = Number(new URL(detour.address).port);
  const found: string[] = [];
  const queue = [...targets];
  const worker = async (): Promise<void> => {
    for (let target = queue.pop(); target !== undefined; target = queue.pop()) {
      const [theirs, ours] = await Promise.all([ask(port, host, target), ask(edge, host, target)]);
      if (theirs.status !== ours.status || theirs.location !== ours.location) {
        found.push(`${target}: ${theirs.status} ${theirs.location}, and not ${ours.status} ${ours.location}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return found.slice(0, 20);
}

/** A path in each spelling and with each query that a client may request. */
function asked(path: string): string[] {
  const twin = slashTwin(path);
  const swapped = path.replace(/%..|[a-z]/gi, (letter) =>
    letter.length > 1 ? letter : letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  const raw = path.replace(/%(5B|5D|7C|5E)/g, decodeURIComponent);
  return [path, ...(twin === undefined ? [] : [twin]), swapped, `${path}x`, raw].flatMap((each) => [
    each,
    `${each}?utm=1&q=%22$1%20`,
    `${each}?k=2&utm=1&%6b=3&q%5B%5D=4&kk=a?b`,
  ]);
}

describe.each(Object.keys(SERVERS))('%s', (name) => {
  const start = SERVERS[name];
  if (!start) throw new Error(name);

  // Apache and Caddy compare rule by rule: a request of a late rule takes milliseconds.
  const step = name === 'nginx' ? 1 : 3;
  test(`${name} responds to ${step === 1 ? 'every rule' : 'every third rule'} of the real file as the edge does`, async () => {
    const host = `real-${name}.example.com`;
    const id = await createSite(owner, [host]);
    const file = await readFile(join(import.meta.dirname, '../fixtures/windows-driver-docs.csv'));
    const form = new FormData();
    form.append('file', new Blob([file]), 'real.csv');
    form.append('website_id', String(id));
    const { body } = await owner.call('POST', '/api/redirects/import', form);
    expect(body.imported).toBeGreaterThan(4_000);
    await settled(owner, id);
    const redirects = (await owner.call('GET', `/api/redirects?website_id=${id}`)).body.redirects;
    // Servers cannot express a rule that redirects to its own path in another spelling.
    const configuration = await exported(id, name, '&lossy=true');
    const leftOut = leftOutOf(configuration);
    expect(leftOut.size).toBeLessThan(redirects.length / 100);
    const server = await start(configuration);
    try {
      const targets = redirects
        .filter((each: { id: number }, index: number) => !leftOut.has(String(each.id)) && index % step === 0)
        .flatMap((each: { old_path: string }) => {
          const path = canonicalPath(each.old_path);
          return [path, `${path}?a=b&c`];
        });
      expect(targets.length).toBeGreaterThan(8_000 / step);
      expect(await differences(server.port, host, targets)).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  test.each(OPTIONS)(`${name} responds to hostile rules as the edge does (%j)`, async (options) => {
    const host = `hostile-${name}-${OPTIONS.indexOf(options)}.example.com`;
    const id = await createSite(owner, [host], { ...options, allowed_target_hosts: ['allowed.example.com'] });
    const ids = new Map<string, string[]>();
    for (const { ask: targets, ...rule } of hostileRules()) {
      ids.set(String(await addRedirect(owner, id, rule)), targets);
    }
    await settled(owner, id);
    const configuration = await exported(id, name, '&lossy=true');
    const leftOut = leftOutOf(configuration);
    const server = await start(configuration);
    try {
      const targets = [...ids]
        .filter(([each]) => !leftOut.has(each))
        .flatMap(([, each]) => each.flatMap((to) => (to.includes('?') ? [to] : asked(to))));
      expect(targets.length).toBeGreaterThan(400);
      expect(await differences(server.port, host, targets)).toEqual([]);
      expect(leftOut.size).toBeLessThan(16);
    } finally {
      await server.stop();
    }
  });
});

function leftOutOf(configuration: string): Set<string> {
  return new Set([...configuration.matchAll(/omitted: redirect (\d+) /g)].map(([, id]) => id ?? ''));
}

const OPTIONS = [{}, { query: 'drop', case_sensitive: false }, { query: 'exact', trailing_slash: 'exact' }];

interface Hostile {
  old_path: string;
  new_path?: string;
  status_code?: number;
  is_regex?: boolean;
  ask: string[];
}

/** Many required queries of one path, beside a redirect of the same path. */
function requiredQueries(): Hostile[] {
  const rules = Array.from({ length: 200 }, (_, at): Hostile => {
    const [raw, escaped] = [`http://www.example.com/a+${at}.pdf`, `http%3a%2F%2Fwww.example.com/%61%20${at}.pdf`];
    return {
      old_path: `/files?attach_url=${raw}`,
      new_path: [`/to/${at}`, `/to/${at}?k=1`, `/to/${at}#part`, '/files'][at % 4] ?? '',
      ask: [`/files?attach_url=${raw}`, `/files/?k=2&attach_url=${escaped}&l`, `/files?attach_url=${raw}x`],
    };
  });
  return [...rules, { old_path: '/files', new_path: '/to', ask: ['/files'] }];
}

/** Sources and targets with every character that is special to one of the servers. */
function hostileRules(): Hostile[] {
  const sources = [
    '/a b',
    '/quo"te',
    '/dol$lar$1',
    '/semi;colon',
    '/brace{x}',
    '/hash%23x',
    '/pct%25',
    "/apos'",
    '/back\\slash',
    '/pipe|x',
    '/tick`x',
    '/star*',
    '/(paren)',
    '/[x]',
    '/+plus',
    '/dots..',
    '/~tilde',
    '/a,b',
    '/a%2Cb',
    '/UPPER/Case',
    '/-',
    '/=eq',
    '/!not',
    '/%{HTTP_HOST}',
    '/${env}',
    '/{$HOME}',
    '/line%0Ax',
    '/return 301 /evil;',
    '/x" "301 * /evil',
    '/amp&amp',
    '/colon:x',
    '/at@x',
    '/twin',
    '/twin/',
    '/slashed/',
    '//'.replace('//', '/double//slash'),
    '/default',
    '/include',
    '/volatile',
    '/漢字',
    '/#'.replace('#', '%3Fq'),
    `/long/${'x'.repeat(200)}`,
    '/~^regex$',
    '/*.example.com',
  ];
  const targets = [
    '/t',
    '/t a',
    '/t"q',
    '/t$1',
    '/t${host}',
    '/t%{HTTP_HOST}',
    '/t\\b',
    '/t`x',
    '/t%20x',
    '/t;x',
    "/t'x",
    '/t#frag',
    '/t#frag$1"',
    '/tü',
    '/t%1',
    '/t\\',
    '/t\\\\"; return 200 "x',
    'https://allowed.example.com/x$y',
    '/t{x}',
    '/t,[R=302]',
    '/t?k=1',
    '/t?k=1&q[]=$1#frag',
    'https://allowed.example.com/x?k&u=a?b',
  ];
  const statuses = [301, 302, 303, 307, 308];
  const literals = sources.map((old_path, at): Hostile => {
    const target = targets[at % targets.length] ?? '';
    return {
      old_path,
      new_path: target,
      status_code: statuses[at % statuses.length] ?? 301,
      ask: [canonicalPath(old_path)],
    };
  });
  const more = targets.map((new_path, at): Hostile => ({
    old_path: `/target/${at}`,
    new_path,
    ask: [`/target/${at}`],
  }));
  const pattern = (old_path: string, new_path: string, ...ask: string[]): Hostile => ({
    old_path,
    new_path,
    is_regex: true,
    ask,
  });
  return [
    ...literals,
    ...more,
    ...requiredQueries(),
    { old_path: '/gone', status_code: 410, ask: ['/gone'] },
    { old_path: '/legal', status_code: 451, ask: ['/legal'] },
    { old_path: '/to-slash', new_path: '/to-slash/', ask: ['/to-slash'] },
    pattern('^/p/(\\d+)/(.*)$', '/q/$2/$1', '/p/12/a/b', '/p/x/a', '/p/1/'),
    pattern('^/strip/(.*)$', '/$1', '/strip/a', '/strip//evil.example', '/strip/', '/strip/%5Cevil'),
    pattern('/abs/(.*)', 'https://allowed.example.com/$1', '/abs/a/b', '/abs//c'),
    pattern('/find/(.*)', '/q?k=$1', '/find/abc', '/find/[x]|^', '/find/%5Bx%5D'),
    pattern('/abs-find/(.*)', 'https://allowed.example.com/$1?k=$1&u=a?b', '/abs-find/a'),
    pattern('/wiki\\[(.*)\\]', '/w/$1', '/wiki[x]', '/wiki%5B|%5D'),
    pattern('/opt(/x)?', '/o$1', '/opt', '/opt/x'),
    pattern('/alt/(a|b)|/other', '/alt2/$1$$x', '/alt/a', '/alt/c', '/other'),
    pattern('^/self/(.*)', '/self/$1', '/self/a'),
    pattern('/cls/[a-z0-9_-]+\\.html', '/c"d$$e', '/cls/a-b.html', '/cls/a-b-html'),
    pattern('/named/(?P<host>[^/]+)/?', '/n/${host}', '/named/abc', '/named/$1', '/named/%7Bx%7D'),
    pattern('/lazy/(.*?)-(.*)', '/l/$1/$2', '/lazy/a-b-c'),
    pattern('/lazy/(a.*)', '/second/$1', '/lazy/abc'),
    { old_path: '^/removed/.*', status_code: 410, is_regex: true, ask: ['/removed/x'] },
  ];
}

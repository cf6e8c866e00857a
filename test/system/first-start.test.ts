/** A first session with Detour in real processes: start, try, administer, stop, restart. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credentials } from '../../src/bootstrap/credentials.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { inSoak } from '../support/soak.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { until } from '../support/wait.ts';

let workshop: Workshop;
let service: ServiceProcess;
let address: string;

beforeAll(async () => {
  workshop = openWorkshop();
  service = workshop.start();
  address = await service.ready;
});
afterAll(() => workshop.clear());

const credentials = (): Credentials =>
  JSON.parse(readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8')) as Credentials;

/** Sends the request of `curl -i <url>`: *.localhost is this machine, and the name is the Host header. */
function visit(url: string): Promise<{ status: number | undefined; location: string | undefined }> {
  const { host, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: pathname, headers: { host } }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, location: response.headers.location });
    })
      .on('error', reject)
      .end();
  });
}

describe('the first start', () => {
  test('prints a curl command that responds with 301 at once', async () => {
    const [, url = ''] = /curl -i (http:\S+)/.exec(service.stdout()) ?? [];
    expect(url).toContain('demo.localhost');
    expect(await visit(url)).toEqual({ status: 301, location: '/new-page' });
  });

  test('prints the contents of credentials.json, which only its owner can read', () => {
    const { base_url, email, password, api_key, hosts } = credentials();
    expect(statSync(join(workshop.dataDir, 'credentials.json')).mode & 0o777).toBe(0o600);
    expect(base_url).toBe(address);
    expect(hosts).toEqual(['demo.localhost', 'staging.demo.localhost', 'dev.demo.localhost']);
    for (const text of [email, password, api_key]) expect(service.stdout()).toContain(text);
  });

  test('creates an owner who can sign in, and a valid key', async () => {
    const { email, password, api_key, website_id } = credentials();
    const signIn = await fetch(`${address}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect(await signIn.json()).toMatchObject({ user: { email, role: 'owner', plan: 'enterprise' } });
    const websites = await fetch(`${address}/api/v1/websites`, {
      headers: { authorization: `Bearer ${api_key}` },
    });
    expect(await websites.json()).toMatchObject({ websites: [{ id: String(website_id), name: 'Demo' }] });
  });
});

test.each(inSoak([1, 2], [2]))(
  '/ready of %i processes responds with 200 only when the demo website is live',
  async (processes) => {
    const fresh = openWorkshop();
    const port = await freePort('127.0.0.1');
    fresh.start({ PORT: String(port), PROCESSES: String(processes) });
    try {
      await until(
        async () => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.status === 200,
        60_000,
      );
      // Each visit opens a connection, so that every process answers some of them.
      const visits = Array.from({ length: 20 }, () => visit(`http://demo.localhost:${port}/old-page`));
      for (const answer of await Promise.all(visits)) expect(answer).toEqual({ status: 301, location: '/new-page' });
    } finally {
      await fresh.clear();
    }
  },
);

describe('while the service runs', () => {
  test('a second start on the same folder fails with one line that names the process', async () => {
    const { code, stdout, stderr } = await workshop.start().ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^detour: the data folder \\S+ is in use by process ${service.pid}: .*DATA_DIR.*\n$`),
    );
    expect((await fetch(`${address}/health`)).status).toBe(200);
  });

  test('an admin command uses its database', async () => {
    const { code, stdout } = await workshop.admin(
      'account create --email new@example.com --plan pro --password a-long-secret --json'.split(' '),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ account: { plan: 'pro' }, password: 'a-long-secret' });
    const signIn = await fetch(`${address}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'new@example.com', password: 'a-long-secret' }),
    });
    expect(signIn.status).toBe(200);
  });

  test('the audit log of an admin command is a line on its stderr', async () => {
    const { code, stderr } = await workshop.admin(
      'account set-plan --email new@example.com --plan business --json'.split(' '),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ audit: true, action: 'account.plan_changed' });
  });

  test('an admin command that fails prints one line on stderr and exits with 1', async () => {
    const { code, stdout, stderr } = await workshop.admin(['key', 'revoke', '--id', 'key_none', '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^detour: API key not found .*\n$/);
  });
});

describe('after SIGTERM', () => {
  test('the service exits with 0, prints nothing and stops its database server', async () => {
    const postgres = workshop.postgresPid();
    expect(postgres).toBeDefined();
    const sent = performance.now();
    service.signal('SIGTERM');
    const { code, stderr } = await service.ended;
    expect(performance.now() - sent).toBeLessThan(10_000);
    expect(code).toBe(0);
    expect(withoutExpectedLines(stderr)).toBe('');
    expect(workshop.postgresPid()).toBeUndefined();
  });

  test('an admin command starts the database server and stops it again', async () => {
    const { code, stdout } = await workshop.admin(
      'account set-plan --email new@example.com --plan business --json'.split(' '),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ account: { plan: 'business' } });
    expect(workshop.postgresPid()).toBeUndefined();
  });

  test('secrets rotate with a key that reads no secret exits with 1', async () => {
    const other = { SECRET_KEY: Buffer.alloc(32, 5).toString('base64') };
    const { code, stdout } = await workshop.admin(['secrets', 'rotate', '--json'], other);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ rotated: 0, unreadable: 1, discarded: false });
  });

  test('the next start has all data and prints no password', async () => {
    const before = credentials();
    const again = workshop.start();
    const port = new URL(await again.ready).port;
    expect(again.stdout()).toMatch(/^Detour is ready: \S+\n$/);
    expect(credentials()).toEqual(before);
    expect(await visit(`http://demo.localhost:${port}/old-page`)).toMatchObject({ status: 301 });
    again.signal('SIGINT');
    expect((await again.ended).code).toBe(0);
  });
});

/** Removes the audit log, and the deprecation warnings of libraries, which Node.js writes to stderr. */
function withoutExpectedLines(stderr: string): string {
  return stderr
    .replaceAll(/^.*"audit":true.*\n/gm, '')
    .replace(/^\(node:\d+\) .*Deprecation.*\n\(Use `node --trace.*\n/m, '');
}

test('a setting that cannot be used stops the start before it creates anything', async () => {
  const dataDir = join(workshop.dataDir, 'unused');
  const { code, stdout, stderr } = await workshop.start({ GEOIP_DB: '/nowhere.mmdb', DATA_DIR: dataDir }).ended;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^detour: GEOIP_DB must be .*\n$/);
  expect(readdirSync(dataDir)).toEqual(['secret.key']);
});

/** The first minutes with Detour, as real processes: start, try, administer, stop, start again. */
import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credentials } from '../../src/bootstrap/credentials.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';

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

/** What `curl -i <url>` does: *.localhost is this machine, and the name goes into Host. */
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
  test('prints a curl line that answers 301 from the moment it is printed', async () => {
    const [, url = ''] = /curl -i (http:\S+)/.exec(service.stdout()) ?? [];
    expect(url).toContain('demo.localhost');
    expect(await visit(url)).toEqual({ status: 301, location: '/new-page' });
  });

  test('prints what it wrote to credentials.json, which only its owner can read', () => {
    const { base_url, email, password, api_key, hosts } = credentials();
    expect(statSync(join(workshop.dataDir, 'credentials.json')).mode & 0o777).toBe(0o600);
    expect(base_url).toBe(address);
    expect(hosts).toEqual(['demo.localhost', 'staging.demo.localhost', 'dev.demo.localhost']);
    for (const text of [email, password, api_key]) expect(service.stdout()).toContain(text);
  });

  test('made an owner who can sign in, and a key that works', async () => {
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

describe('while it runs', () => {
  test('a second start on the same folder refuses in one line that names the process', async () => {
    const { code, stdout, stderr } = await workshop.start().ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^detour: the data folder \\S+ is in use by process ${service.pid}: .*DATA_DIR.*\n$`),
    );
    expect((await fetch(`${address}/health`)).status).toBe(200);
  });

  test('an admin command works on its database', async () => {
    const { code, stdout } = await workshop.admin(
      'account create --email new@example.com --plan pro --password 1234567890 --json'.split(' '),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ account: { plan: 'pro' }, password: '1234567890' });
    const signIn = await fetch(`${address}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'new@example.com', password: '1234567890' }),
    });
    expect(signIn.status).toBe(200);
  });

  test('an admin command that is refused says so in one line on stderr and exits 1', async () => {
    const { code, stdout, stderr } = await workshop.admin(['key', 'revoke', '--id', 'key_none', '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^detour: API key not found .*\n$/);
  });
});

describe('after SIGTERM', () => {
  test('it exits 0, says nothing and leaves no server behind', async () => {
    const postgres = workshop.postgresPid();
    expect(postgres).toBeDefined();
    const sent = performance.now();
    service.signal('SIGTERM');
    const { code, stderr } = await service.ended;
    expect(performance.now() - sent).toBeLessThan(10_000);
    expect(code).toBe(0);
    expect(withoutDeprecations(stderr)).toBe('');
    expect(workshop.postgresPid()).toBeUndefined();
  });

  test('an admin command starts the server for itself and leaves none behind', async () => {
    const { code, stdout } = await workshop.admin(
      'account set-plan --email new@example.com --plan business --json'.split(' '),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ account: { plan: 'business' } });
    expect(workshop.postgresPid()).toBeUndefined();
  });

  test('the next start finds everything and tells no password again', async () => {
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

/** Node.js writes those of libraries to stderr; they say nothing about this service. */
function withoutDeprecations(stderr: string): string {
  return stderr.replace(/^\(node:\d+\) .*Deprecation.*\n\(Use `node --trace.*\n/m, '');
}

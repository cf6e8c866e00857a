/** Requests the files of test/fixtures/server-files from real servers: they respond as the fixtures say. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { type ExpectedRequest, expectedRequests, fixtureText } from '../support/server-file.ts';
import { apacheConfiguration, startProgram } from '../support/server-program.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'detour-files-'));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The response of a server, with its own address removed from the Location. */
function ask(port: number, target: string): Promise<ExpectedRequest> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: target, headers: { host: 'apache.example.com' } };
    const request = httpRequest(options, (response) => {
      response.resume().on('end', () => {
        const location = response.headers.location?.replace(/^http:\/\/apache\.example\.com(?::\d+)?(?=\/)/, '');
        resolve({ target, status: response.statusCode ?? 0, location });
      });
    });
    request.on('error', reject).end();
  });
}

async function started(program: string, parameters: string[], port: number): Promise<void> {
  const isUp = () => ask(port, '/').then(Boolean, () => false);
  onTestFinished(await startProgram(program, parameters, { home: folder, isUp }));
}

async function startApache(port: number): Promise<void> {
  const at = await mkdtemp(join(folder, 'apache-'));
  await chmod(at, 0o755);
  await mkdir(join(at, 'root'));
  await writeFile(join(at, 'root/.htaccess'), fixtureText('apache/.htaccess'));
  const inDirectory = 'AllowOverride All\nOptions FollowSymLinks';
  const parts = { folder: at, port, modules: ['alias', 'rewrite'] };
  await writeFile(join(at, 'apache.conf'), apacheConfiguration(parts, inDirectory));
  await started('apache2', ['-D', 'FOREGROUND', '-f', join(at, 'apache.conf')], port);
}

async function startNginx(port: number): Promise<void> {
  const at = await mkdtemp(join(folder, 'nginx-'));
  await chmod(at, 0o755);
  const site = fixtureText('nginx/site.conf').replace('listen 8080;', `listen 127.0.0.1:${port};`);
  const http = `daemon off; pid ${at}/pid; error_log stderr; worker_processes 1;\nevents {}\nhttp { access_log off;`;
  await writeFile(join(at, 'nginx.conf'), `${http}\n${site.replace('/srv/www', `${at}/none`)}\n}`);
  await started('nginx', ['-e', 'stderr', '-p', at, '-c', join(at, 'nginx.conf')], port);
}

const SERVERS: Record<string, (port: number) => Promise<void>> = { apache: startApache, nginx: startNginx };

test.each(Object.entries(SERVERS))('%s responds as the fixture says', async (name, start) => {
  const port = await freePort('127.0.0.1');
  await start(port);
  const requests = expectedRequests(name);
  const answers: ExpectedRequest[] = [];
  for (const { target } of requests) answers.push(await ask(port, target));
  expect(answers).toEqual(requests);
});

/** Requests the files of test/fixtures/server-files from real servers: they respond as the fixtures say. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { type ExpectedRequest, expectedRequests, fixtureText } from '../support/server-file.ts';
import { until } from '../support/wait.ts';

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
  const child = spawn(program, parameters, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${errors.slice(-2_000)}`);
    return ask(port, '/').then(Boolean, () => false);
  });
}

async function startApache(port: number): Promise<void> {
  const at = await mkdtemp(join(folder, 'apache-'));
  await chmod(at, 0o755);
  await mkdir(join(at, 'root'));
  await writeFile(join(at, 'root/.htaccess'), fixtureText('apache/.htaccess'));
  const modules = ['mpm_event', 'authz_core', 'alias', 'rewrite']
    .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
    .join('\n');
  await writeFile(
    join(at, 'apache.conf'),
    `ServerRoot ${at}
ServerName localhost
${modules}
User www-data
Group www-data
PidFile ${at}/pid
ErrorLog ${at}/error.log
Listen 127.0.0.1:${port}
DocumentRoot ${at}/root
<Directory ${at}/root>
AllowOverride All
Options FollowSymLinks
Require all granted
</Directory>`,
  );
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

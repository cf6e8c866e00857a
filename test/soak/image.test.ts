/** The container image, built from the Dockerfile and started as `docker run` starts it, on its embedded PostgreSQL. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '../../src/platform/version.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { type BuiltImage, buildImage, processOf } from '../support/image.ts';
import { visitAt } from '../support/detour.ts';
import { until } from '../support/wait.ts';

const BUILD_MS = 600_000;

let image: BuiltImage;
beforeAll(async () => {
  image = await buildImage();
}, BUILD_MS);
afterAll(() => image.clear(), BUILD_MS);

test('the image runs as node, is healthy, answers redirects and the dashboard, and stops with 0', async () => {
  const container = await image.container();
  const port = await freePort('127.0.0.1');
  const address = `http://127.0.0.1:${port}`;
  const env = { PORT: String(port) };
  const child = container.start(image.config.Cmd, env);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'close');

  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the container ended with ${child.exitCode}: ${output}`);
    return /^Detour is ready/m.test(output);
  }, 120_000);
  expect(await fetch(`${address}/health`).then((response) => response.json())).toMatchObject({ version: VERSION });
  expect((await fetch(`${address}/ready?for=api`)).status).toBe(200);
  expect(await fetch(`${address}/`).then((response) => response.text())).toContain('<div id="app">');
  expect(await visitAt(address, 'demo.localhost', '/old-page')).toMatchObject({ status: 301 });

  const [kind, ...healthcheck] = image.config.Healthcheck.Test;
  expect(kind).toBe('CMD');
  await container.run(healthcheck, env);
  await expect(container.run(healthcheck, { PORT: '1' })).rejects.toThrow();

  const pid = processOf(child, image.config.Cmd);
  if (pid === undefined) throw new Error(`the service is not a child of buildah: ${output}`);
  expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\s+1000\s/m);
  process.kill(pid, 'SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('the image contains what the service needs, owned by root, and no tests, settings or second Node.js', async () => {
  const container = await image.container();
  const files = (await container.run(['ls', '-A', '/app'])).split('\n');
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'dist', 'migrations', 'src', 'tsconfig.json']));
  expect(files.filter((name) => /^(test|bench|dashboard|scripts|\.env|\.git|docs|\.data)/.test(name))).toEqual([]);
  const packages = (await container.run(['ls', '/app/node_modules'])).split('\n');
  expect(packages).toContain('fastify');
  expect(packages.filter((name) => /^(node-linux-|vite|rolldown|esbuild|lightningcss)/.test(name))).toEqual([]);
  // The base image of the registry has about 80 MB packed, and all must be less than 150.
  expect(Number(await container.run(['sh', '-c', 'tar -cC / app | gzip | wc -c']))).toBeLessThan(65_000_000);
  expect(await container.run(['find', '/app', '-user', 'node', '-not', '-path', '*/.cache*'])).toBe('');
  expect(Object.keys(image.config.Volumes)).toEqual(['/data']);
});

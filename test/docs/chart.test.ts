/** The chart's values: the schema knows every variable, and refuses what no pod could use. test/system/helm renders it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { VERSION } from '../../src/platform/version.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const Json = z.record(z.string(), z.json());
const schema = Json.parse(JSON.parse(read('charts/detour/values.schema.json')));
const defaults = Json.parse(parse(read('charts/detour/values.yaml')));

/** Variables of the Secret, and those that the image and the chart set. */
const NOT_IN_CONFIG = new Set(
  (
    'DATABASE_URL DATABASE_DIRECT_URL DATABASE_READ_URL SECRET_KEY SECRET_KEY_PREVIOUS REDIS_URL SMTP_URL ' +
    'METRICS_TOKEN OWNER_EMAIL OWNER_PASSWORD HOST PORT DATA_DIR'
  ).split(' '),
);

/** The names of the fields that the schema refuses, as Helm does before it renders. */
function refused(changes: Record<string, unknown>): string[] {
  const values = {
    ...defaults,
    image: { repository: 'detour' },
    config: { PUBLIC_URL: 'https://d.example' },
    ...changes,
  };
  const { error } = z.fromJSONSchema(schema).safeParse(values);
  return error?.issues.map(({ path, message }) => path.join('.') || message) ?? [];
}

test('its version is the version of the package', () => {
  expect(parse(read('charts/detour/Chart.yaml'))).toMatchObject({ version: VERSION, appVersion: VERSION });
});

test('config has every variable that is not secret', () => {
  const variables = [...read('src/platform/config/config.ts').matchAll(/^ {2}([A-Z_]+):/gm)].map(
    ([, name = '']) => name,
  );
  const { propertyNames } = z
    .object({ properties: z.object({ config: z.object({ propertyNames: z.object({ enum: z.array(z.string()) }) }) }) })
    .parse(schema).properties.config;
  expect(propertyNames.enum).toEqual(variables.filter((name) => !NOT_IN_CONFIG.has(name)).toSorted());
});

test('the schema takes the defaults with an image and a URL, and names the field that is wrong', () => {
  expect(refused({})).toEqual([]);
  expect(refused({ image: { repository: '' } })).toEqual(['image.repository']);
  expect(refused({ config: { TRUST_PROXY: '1' } })).toEqual(['config.PUBLIC_URL']);
  const config = { PUBLIC_URL: 'https://d.example' };
  for (const name of ['TRUST_PROXI', 'SECRET_KEY', 'DATABASE_URL', 'DATA_DIR']) {
    expect(refused({ config: { ...config, [name]: '1' } })).toEqual([`config.${name}`]);
  }
  expect(refused({ config: { ...config, RETENTION_DAYS: 30 } })).toEqual(['config.RETENTION_DAYS']);
  expect(refused({ replicas: '3' })).toEqual(['replicas']);
  expect(refused({ ingress: { hosts: ['https://www.example.com'] } })).toEqual(['ingress.hosts.0']);
  expect(refused({ replica: 3 })).toEqual(['Unrecognized key: "replica"']);
});

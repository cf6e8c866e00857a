import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configPath, connectionOf, readConfig, writeConfig } from '../../src/cli/config.ts';
import { serviceUrl } from '../../src/cli/options.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'detour-cli-home-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const stored = { url: 'https://detour.example.com', apiKey: 'dtr_stored' };

test('the file is below XDG_CONFIG_HOME, else below ~/.config', () => {
  expect(configPath({ HOME: '/home/a' })).toBe('/home/a/.config/detour/config.json');
  expect(configPath({ HOME: '/home/a', XDG_CONFIG_HOME: '/x' })).toBe('/x/detour/config.json');
});

test('the stored key can be read only by its user, also after a replacement', async () => {
  const path = await writeConfig({ HOME: home }, stored);
  await writeConfig({ HOME: home }, { ...stored, apiKey: 'dtr_next' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ url: stored.url, api_key: 'dtr_next' });
  expect(await readConfig({ HOME: home })).toEqual({ ...stored, apiKey: 'dtr_next' });
});

test('the environment takes precedence over the file, and --url over both', async () => {
  const env = { HOME: home };
  await writeConfig(env, stored);
  expect(await connectionOf(env, undefined)).toEqual(stored);
  const both = { ...env, DETOUR_URL: 'http://localhost:1/', DETOUR_API_KEY: 'dtr_env' };
  expect(await connectionOf(both, undefined)).toEqual({ url: 'http://localhost:1', apiKey: 'dtr_env' });
  expect(await connectionOf(both, 'http://localhost:2')).toEqual({ url: 'http://localhost:2', apiKey: 'dtr_env' });
});

test('a stored key is not sent to another service', async () => {
  const env = { HOME: home };
  await writeConfig(env, stored);
  await expect(connectionOf(env, 'https://other.example.com')).rejects.toThrow(
    'no API key for https://other.example.com: run `detour login`',
  );
});

test('without a file and variables the message names the remedy', async () => {
  await expect(connectionOf({ HOME: home }, undefined)).rejects.toThrow(
    'no service: run `detour login`, or set DETOUR_URL and DETOUR_API_KEY',
  );
});

test('a damaged file is named', async () => {
  const path = await writeConfig({ HOME: home }, stored);
  writeFileSync(path, '{');
  await expect(connectionOf({ HOME: home }, undefined)).rejects.toThrow(`${path} cannot be read: remove it`);
});

test.each(['detour.example.com', 'ftp://a', 'https://user:key@a', 'https://a/?b', ''])(
  '%j is not the URL of a service',
  (url) => {
    expect(() => serviceUrl(url)).toThrow('the URL must be that of the service');
  },
);

test('a URL may have a path and a slash at its end', () => {
  expect(serviceUrl('https://example.com/detour/')).toBe('https://example.com/detour');
});

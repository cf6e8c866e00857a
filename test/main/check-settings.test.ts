import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkSettings } from '../../src/main/check-settings.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { errorSummary } from '../../src/platform/log/error-summary.ts';

const dir = mkdtempSync(join(tmpdir(), 'detour-settings-'));
afterAll(() => rmSync(dir, { recursive: true }));

const check = (env: Record<string, string>): Promise<void> =>
  checkSettings(loadConfig({ PORT: '0', DATA_DIR: join(dir, 'data'), ...env }));

test('right settings pass, and the data folder exists', async () => {
  await check({});
  expect(existsSync(join(dir, 'data'))).toBe(true);
});

test.each([
  [{ GEOIP_DB: '/nowhere/country.mmdb' }, /^GEOIP_DB must be .*nowhere/],
  [{ GEOIP_DB: import.meta.filename }, /^GEOIP_DB must be /],
  [{ HOST: '203.0.113.9' }, /HOST/],
  [{ HOST: 'no-such-name.invalid' }, /HOST/],
  [{ DATA_DIR: join(import.meta.filename, 'data') }, /DATA_DIR/],
])('%j is reported with its variable', async (env, message) => {
  const error: unknown = await check(env).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(errorSummary(error)).toMatch(message);
});

test('a port in use is left to the moment at which it is opened', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  await check({ PORT: String((server.address() as AddressInfo).port) });
  server.close();
});

/** The agent and the service respond to malformed and oversized requests with the same bytes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Agent, startAgent } from '../../src/edge-agent/agent.ts';
import { readOptions } from '../../src/edge-agent/options.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { createRedirectServer, type RedirectServer } from '../../src/start/redirect-server.ts';
import { openPort, stopRedirects } from '../../src/start/serve-redirects.ts';
import { testClock } from '../support/clock.ts';
import { MALFORMED, rawResponse } from '../support/raw-http.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'detour-agent-'));
const deps = { clock: testClock(), log: pino({ level: 'silent' }) };
const config = loadConfig({ HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir });
let agent: Agent;
let redirects: RedirectServer;
let service: string;

beforeAll(async () => {
  redirects = createRedirectServer({ config, ...deps });
  service = await openPort(redirects, config);
  const args = ['--url', service, '--website', '7', '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0'];
  const invocation = readOptions([...args, '--data', dataDir], { DETOUR_API_KEY: 'k' });
  if (invocation.kind !== 'run') throw new Error(invocation.kind);
  agent = await startAgent(invocation.options, deps);
});
afterAll(async () => {
  await agent.stop();
  await stopRedirects(redirects, { config, ...deps });
  rmSync(dataDir, { recursive: true, force: true });
});

test.each(MALFORMED)('%s', async (_what, request, status, code) => {
  const ofService = await rawResponse(service, request);
  expect(ofService).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\nX-Request-Id: \\S+\r\n[^]*"code":"${code}"`));
  const withoutId = (text: string): string => text.replace(/X-Request-Id: \S+/, '');
  for (const address of [agent.address, agent.adminAddress ?? ''])
    expect(withoutId(await rawResponse(address, request))).toBe(withoutId(ofService));
});

test('HTTP/1.0 needs no Host', async () => {
  expect(await rawResponse(service, 'GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
});

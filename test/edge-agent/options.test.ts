import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/cli/errors.ts';
import { helpText, readOptions } from '../../src/edge-agent/options.ts';

const ENV = { DETOUR_URL: 'https://detour.example/', DETOUR_API_KEY: 'dtr_key' };
const optionsOf = (args: string[], env: Record<string, string> = ENV) => {
  const invocation = readOptions(args, env);
  if (invocation.kind !== 'run') throw new Error(invocation.kind);
  return invocation.options;
};

test('a website is enough if the environment names the service and the key', () => {
  expect(optionsOf(['--website', 'shop.example'])).toMatchObject({
    url: 'https://detour.example',
    apiKey: 'dtr_key',
    websites: [{ website: 'shop.example', environment: 'production' }],
    listen: { host: '127.0.0.1', port: 8080 },
    adminListen: { host: '127.0.0.1', port: 8081 },
    trustProxy: false,
    countryHeader: null,
    metricsToken: null,
    dataDir: expect.stringMatching(/\/\.detour-edge$/),
  });
});

test('websites repeat, each with its environment or the common one', () => {
  const websites = [
    { website: 'shop.example', environment: 'staging' },
    { website: '12', environment: 'production' },
    { website: 'My: shop', environment: 'staging' },
  ];
  const args = ['--environment', 'staging', '--website', 'shop.example', '--website', '12:production'];
  expect(optionsOf([...args, '--website', 'My: shop']).websites).toEqual(websites);
  const variables = { DETOUR_ENVIRONMENT: 'staging', DETOUR_WEBSITE: 'shop.example, 12:production,My: shop' };
  expect(optionsOf([], { ...ENV, ...variables }).websites).toEqual(websites);
});

test('every option has a variable, which it overrides', () => {
  const variables = {
    ...ENV,
    DETOUR_WEBSITE: '7',
    DETOUR_LISTEN: '0.0.0.0:80',
    DETOUR_ADMIN_LISTEN: 'off',
    DETOUR_DATA: '/var/lib/detour-edge',
    DETOUR_AGENT: 'web-1',
    TRUST_PROXY: '10.0.0.0/8',
    COUNTRY_HEADER: 'CF-IPCountry',
    METRICS_TOKEN: 'a-long-enough-token',
  };
  const set = {
    listen: { host: '0.0.0.0', port: 80 },
    adminListen: null,
    dataDir: '/var/lib/detour-edge',
    name: 'web-1',
    trustProxy: ['10.0.0.0/8'],
    countryHeader: 'cf-ipcountry',
    metricsToken: 'a-long-enough-token',
  };
  expect(optionsOf([], variables)).toMatchObject(set);
  const args = ['--url', 'http://10.0.0.1:3000', '--key', 'k', '--website', '8', '--listen', '[::1]:81'];
  const others = ['--admin-listen', '82', '--data', '/tmp/x', '--name', 'web-2', '--trust-proxy', '1'];
  expect(optionsOf([...args, ...others], variables)).toMatchObject({
    url: 'http://10.0.0.1:3000',
    apiKey: 'k',
    websites: [{ website: '8', environment: 'production' }],
    listen: { host: '::1', port: 81 },
    adminListen: { host: '127.0.0.1', port: 82 },
    dataDir: '/tmp/x',
    name: 'web-2',
    trustProxy: 1,
  });
});

describe('an error names the option and the fix', () => {
  test.each([
    [[], /--website is missing.*DETOUR_WEBSITE/],
    [['--website', '7', '--website', '7'], /--website 7:production is repeated/],
    [['--website', 'all', '--website', '7'], /--website all includes 7 in production: leave out one/],
    [['--website', '7', '--listen', '1', '--listen', '2'], /--listen is repeated/],
    [['--website', '7', '--listen', 'example'], /--listen must be a port.*"example"/],
    [['--website', '7', '--listen', '70000'], /--listen must be a port/],
    [['--website', '7', '--environment', 'live'], /--environment must be one of production, staging, development/],
    [['--website', '7', '--trust-proxy', 'all'], /TRUST_PROXY must be/],
    [['--website', '7', '--url', 'detour.example'], /--url must be that of the service.*"detour.example"/],
    [['--website', ''], /--website needs a value/],
    [['--port', '80'], /--port/],
    [['shop.example'], /shop\.example/],
  ])('%j', (args, message) => {
    expect(() => readOptions(args, ENV)).toThrow(UsageError);
    expect(() => readOptions(args, ENV)).toThrow(message);
  });
});

test('the help lists the options with their variables', () => {
  expect(readOptions(['-h'], {})).toEqual({ kind: 'help' });
  expect(readOptions(['--version'], {})).toEqual({ kind: 'version' });
  for (const name of ['--url URL', '--website WEBSITE[:ENVIRONMENT]', 'DETOUR_ADMIN_LISTEN', 'Default: 127.0.0.1:8080'])
    expect(helpText()).toContain(name);
});

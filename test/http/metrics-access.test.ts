import { describe, expect, test } from 'vitest';
import { createMetricsAccess } from '../../src/http/metrics-access.ts';

const TOKEN = '0123456789abcdef';

describe('with METRICS_TOKEN', () => {
  const access = createMetricsAccess({ metricsToken: TOKEN, trustProxy: false });

  test.each(['203.0.113.7', '127.0.0.1', ''])('the token opens the metrics from %j', (address) => {
    expect(access({ authorization: `Bearer ${TOKEN}` }, address)).toBeUndefined();
    expect(access({ authorization: `bearer  ${TOKEN}`, 'x-forwarded-for': '1.2.3.4' }, address)).toBeUndefined();
  });

  test.each([
    undefined,
    '',
    'Bearer',
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Bearer ${TOKEN.toUpperCase()}`,
  ])('%j is 401 from any address', (authorization) => {
    const problem = access({ ...(authorization !== undefined && { authorization }) }, '127.0.0.1');
    expect(problem).toMatchObject({ code: 'UNAUTHORIZED', details: expect.stringContaining('METRICS_TOKEN') });
    expect(problem?.details).not.toContain(TOKEN);
  });
});

describe('without METRICS_TOKEN', () => {
  const access = createMetricsAccess({ metricsToken: null, trustProxy: false });
  const behindProxy = createMetricsAccess({ metricsToken: null, trustProxy: 1 });
  const forbidden = { code: 'ADDRESS_NOT_ALLOWED', details: expect.stringContaining('METRICS_TOKEN') };

  test.each([
    '127.0.0.1',
    '::1',
    '::ffff:10.1.2.3',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1:4711',
    'fd00::1',
    '[::1]:80',
  ])('%s may read them', (address) => {
    expect(access({}, address)).toBeUndefined();
    expect(behindProxy({ 'x-forwarded-for': address }, address)).toBeUndefined();
  });

  test.each(['203.0.113.7', '8.8.8.8', '::ffff:8.8.8.8', '2001:4860::1', '172.32.0.1', '', 'localhost', '0177.0.0.1x'])(
    '%j is 403, whatever it sends',
    (address) => {
      expect(access({}, address)).toMatchObject(forbidden);
      expect(access({ authorization: 'Bearer null' }, address)).toMatchObject(forbidden);
      expect(behindProxy({}, address)).toMatchObject(forbidden);
    },
  );

  test.each([{ 'x-forwarded-for': '10.0.0.1' }, { forwarded: 'for=10.0.0.1' }])(
    'a request that an unknown proxy forwards is 403: %j',
    (headers) => {
      expect(access(headers, '127.0.0.1')).toMatchObject(forbidden);
    },
  );
});

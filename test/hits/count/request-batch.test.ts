/** The worker decodes what the main thread encoded. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  createBatchEncoder,
  createBatchDecoder,
  type Request,
  requestCount,
} from '../../../src/hits/count/request-batch.ts';
import { createVisitors } from '../../../src/hits/count/visitor.ts';
import { countryNumber, countryOfNumber } from '../../../src/hits/counters/counters.ts';
import { ENVIRONMENTS } from '../../../src/vocabulary/environment.ts';

const NOON = 1_700_000_000_000;
const visitors = createVisitors(Buffer.alloc(16, 3), (address) => (address.startsWith('2001:') ? 'DE' : ''));

const matched: Request = {
  websiteId: 2_147_483_647,
  environment: 'staging',
  redirectId: Number.MAX_SAFE_INTEGER,
  path: '/old',
  micros: 12.375,
  address: '2001:db8::1',
  userAgent: 'Müller/1.0 (\xa0)',
  country: undefined,
  referrer: 'https://example.com/',
  utmSource: 'News',
};
const unmatched: Request = { ...matched, redirectId: null, path: '/%C3%A9' };

/** The expected result of decoding a request. */
function visitOf(request: Request, at: number) {
  const { websiteId, redirectId, micros, userAgent } = request;
  const address = visitors.addressOf(request.address);
  return {
    websiteId,
    environment: ENVIRONMENTS.indexOf(request.environment),
    redirectId,
    micros,
    at,
    agent: visitors.agentOf(userAgent),
    address,
    country: request.country === undefined ? address.country : countryNumber(request.country),
    path: redirectId === null ? request.path : '',
    referrer: redirectId === null ? request.referrer : undefined,
    referrerName: redirectId === null ? undefined : 'example.com',
    utmSource: redirectId === null ? undefined : 'news',
  };
}

/** Sends the requests in full batches. */
function roundTrip(requests: Request[]) {
  const encoder = createBatchEncoder();
  const decode = createBatchDecoder(visitors);
  const out: unknown[] = [];
  const send = (): void => decode(structuredClone(encoder.take()), (visit) => void out.push({ ...visit }));
  for (const [i, request] of requests.entries()) {
    encoder.add(request, NOON + i);
    if (encoder.isFull()) send();
  }
  send();
  return out;
}

const expected = (requests: Request[]): unknown[] => requests.map((request, i) => visitOf(request, NOON + i));

describe('request batches', () => {
  test('keep unmatched requests in order, each with its time', () => {
    const requests = ENVIRONMENTS.flatMap((environment) => [
      { ...unmatched, environment },
      { ...unmatched, environment, country: 'FR' },
      { ...unmatched, environment, country: '', referrer: undefined },
      { ...unmatched, environment, address: '', userAgent: '', path: '', referrer: '' },
    ]);
    expect(roundTrip(requests)).toEqual(expected(requests));
  });

  test('omit the path of a matched request, and keep its sources by name', () => {
    const mixed = [matched, unmatched, { ...matched, country: 'ZA' }, unmatched, matched];
    expect(roundTrip(mixed)).toEqual(expected(mixed));
  });

  test('prefer the country of the proxy, even if it is unknown', () => {
    const countries = roundTrip([
      matched,
      { ...matched, country: 'fr' },
      { ...matched, country: 'XX' },
      { ...matched, country: 'nonsense' },
      { ...matched, address: '192.0.2.1' },
    ]).map((visit) => countryOfNumber((visit as { country: number }).country));
    expect(countries).toEqual(['DE', 'FR', '', '', '']);
  });

  test('identify each visitor when the caches overflow, and with texts too long for them', () => {
    const requests = Array.from({ length: 140_000 }, (_, i) => ({
      ...matched,
      address: i % 1_000 === 7 ? `${i}`.repeat(20) : `192.0.2.${i % 3 === 0 ? i % 100 : i}`,
      userAgent: i % 1_000 === 9 ? `${i} `.repeat(300) : `Browser/${i % 5_000}`,
    }));
    // `toEqual` takes seconds for so many.
    expect(isDeepStrictEqual(roundTrip(requests), expected(requests))).toBe(true);
  });

  test('are full by number or by length, and empty after they are taken', () => {
    const encoder = createBatchEncoder();
    let short = 0;
    while (!encoder.isFull()) {
      encoder.add(matched, 0);
      short++;
    }
    expect(encoder.count).toBe(short);
    expect(requestCount(encoder.take())).toBe(short);
    expect(encoder.count).toBe(0);
    expect(encoder.isFull()).toBe(false);
    let long = 0;
    while (!encoder.isFull()) {
      encoder.add({ ...matched, userAgent: 'x'.repeat(60_000) }, 0);
      long++;
    }
    expect(short).toBeGreaterThan(100);
    expect(long).toBeLessThan(10);
    expect(encoder.take().texts.length).toBeLessThan(600_000);
    expect(encoder.take()).toEqual({ numbers: new Float64Array(0), texts: '' });
  });
});

test('every country code has a different number, and an empty code is 0', () => {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  expect(codes.map((code) => countryOfNumber(countryNumber(code)))).toEqual(codes);
  expect(new Set(codes.map(countryNumber)).size).toBe(codes.length);
  expect([countryNumber(''), countryOfNumber(0)]).toEqual([0, '']);
});

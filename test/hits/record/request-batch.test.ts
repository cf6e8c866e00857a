/** What goes to the counting thread comes out of the message as it was put in. */
import { describe, expect, test } from 'vitest';
import {
  createBatchEncoder,
  createBatchDecoder,
  type Request,
  requestsOf,
} from '../../../src/hits/record/request-batch.ts';
import { createVisitors } from '../../../src/hits/count/visitor.ts';
import { countryNumber, countryOfNumber } from '../../../src/hits/count/country.ts';
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
};
const unmatched: Request = { ...matched, redirectId: null, path: '/%C3%A9' };

/** A request as it is to be counted, whatever it is sent as. */
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
  };
}

/** In messages of as many as one has room for. */
function roundTrip(requests: Request[]) {
  const packer = createBatchEncoder();
  const unpack = createBatchDecoder(visitors);
  const out: unknown[] = [];
  const send = (): void => unpack(structuredClone(packer.take()), (visit) => void out.push({ ...visit }));
  for (const [i, request] of requests.entries()) {
    packer.add(request, NOON + i);
    if (packer.isFull()) send();
  }
  send();
  return out;
}

const expected = (requests: Request[]): unknown[] => requests.map((request, i) => visitOf(request, NOON + i));

describe('packs', () => {
  test('give back what nothing matched, in order, each with its moment', () => {
    const requests = ENVIRONMENTS.flatMap((environment) => [
      { ...unmatched, environment },
      { ...unmatched, environment, country: 'FR' },
      { ...unmatched, environment, country: '', referrer: undefined },
      { ...unmatched, environment, address: '', userAgent: '', path: '', referrer: '' },
    ]);
    expect(roundTrip(requests)).toEqual(expected(requests));
  });

  test('leave out what is not counted of a request that matched: its path and where it came from', () => {
    const mixed = [matched, unmatched, { ...matched, country: 'ZA' }, unmatched, matched];
    expect(roundTrip(mixed)).toEqual(expected(mixed));
  });

  test('tell the country by what a proxy says where it says anything, known or not', () => {
    const countries = roundTrip([
      matched,
      { ...matched, country: 'fr' },
      { ...matched, country: 'XX' },
      { ...matched, country: 'nonsense' },
      { ...matched, address: '192.0.2.1' },
    ]).map((visit) => countryOfNumber((visit as { country: number }).country));
    expect(countries).toEqual(['DE', 'FR', '', '', '']);
  });

  test('know each visitor after there were more of them than are remembered, and ones too long to be', () => {
    const requests = Array.from({ length: 140_000 }, (_, i) => ({
      ...matched,
      address: i % 1_000 === 7 ? `${i}`.repeat(20) : `192.0.2.${i % 3 === 0 ? i % 100 : i}`,
      userAgent: i % 1_000 === 9 ? `${i} `.repeat(300) : `Browser/${i % 5_000}`,
    }));
    expect(roundTrip(requests)).toEqual(expected(requests));
  });

  test('carry texts that came before as a number', () => {
    const packer = createBatchEncoder();
    packer.add(matched, 0);
    expect(packer.take().texts).toContain(matched.userAgent);
    packer.add(matched, 0);
    expect(packer.take()).toMatchObject({ texts: '' });
  });

  test('of which one did not come count nobody as somebody else', () => {
    const packer = createBatchEncoder();
    packer.add(matched, 0);
    packer.take();
    packer.add(matched, 0);
    expect(() => createBatchDecoder(visitors)(packer.take(), () => {})).toThrow(/did not come/);
  });

  test('are full by number or by length, and empty once they were taken', () => {
    const packer = createBatchEncoder();
    let short = 0;
    while (!packer.isFull()) {
      packer.add(matched, 0);
      short++;
    }
    expect(packer.count).toBe(short);
    expect(requestsOf(packer.take())).toBe(short);
    expect(packer.count).toBe(0);
    expect(packer.isFull()).toBe(false);
    let long = 0;
    while (!packer.isFull()) {
      packer.add({ ...matched, userAgent: 'x'.repeat(60_000) }, 0);
      long++;
    }
    expect(short).toBeGreaterThan(100);
    expect(long).toBeLessThan(10);
    expect(packer.take().texts.length).toBeLessThan(500_000);
    expect(packer.take()).toEqual({ numbers: new Float64Array(0), texts: '' });
  });
});

test('every code of a country has a number of its own, and nothing is 0', () => {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  expect(codes.map((code) => countryOfNumber(countryNumber(code)))).toEqual(codes);
  expect(new Set(codes.map(countryNumber)).size).toBe(codes.length);
  expect([countryNumber(''), countryOfNumber(0)]).toEqual([0, '']);
});

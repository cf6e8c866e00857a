/** What goes to the counting thread comes out of the message as it was put in. */
import { describe, expect, test } from 'vitest';
import type { Request } from '../../src/hits/count.ts';
import { createPacker, unpack } from '../../src/hits/request-pack.ts';
import { ENVIRONMENTS } from '../../src/vocabulary/environment.ts';

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

function roundTrip(requests: Request[]): { request: Request; at: number }[] {
  const packer = createPacker();
  for (const [i, request] of requests.entries()) packer.add(request, 1_700_000_000_000 + i);
  const out: { request: Request; at: number }[] = [];
  unpack(structuredClone(packer.take()), (request, at) => out.push({ request, at }));
  return out;
}

describe('a pack', () => {
  test('gives back what nothing matched, in order, each with its moment', () => {
    const requests = ENVIRONMENTS.flatMap((environment) => [
      { ...unmatched, environment },
      { ...unmatched, environment, country: 'DE' },
      { ...unmatched, environment, country: '', referrer: undefined },
      { ...unmatched, environment, address: '', userAgent: '', path: '', referrer: '' },
    ]);
    expect(roundTrip(requests)).toEqual(
      requests.map((request, i) => ({ request, at: 1_700_000_000_000 + i })),
    );
  });

  test('leaves out what is not counted of a request that matched: its path and where it came from', () => {
    const mixed = [matched, unmatched, { ...matched, country: 'FR' }, unmatched, matched];
    expect(roundTrip(mixed).map(({ request }) => request)).toEqual(
      mixed.map((request) =>
        request.redirectId === null ? request : { ...request, path: '', referrer: undefined },
      ),
    );
  });

  test('is full by number or by length, and empty once it was taken', () => {
    const packer = createPacker();
    let short = 0;
    while (!packer.isFull()) {
      packer.add(matched, 0);
      short++;
    }
    expect(packer.count).toBe(short);
    packer.take();
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

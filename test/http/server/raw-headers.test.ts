import { expect, test } from 'vitest';
import { firstValue, joinedValues, onlyHost } from '../../../src/http/server/raw-headers.ts';

const RAW = ['HOST', 'shop.example', 'X-Forwarded-For', '203.0.113.7', 'Accept', '*/*', 'x-forwarded-for', '10.0.0.1'];

test('a header is found in any case, and a value is no name', () => {
  expect(firstValue(RAW, 'x-forwarded-for')).toBe('203.0.113.7');
  expect(joinedValues(RAW, 'x-forwarded-for')).toBe('203.0.113.7, 10.0.0.1');
  for (const valueOf of [firstValue, joinedValues]) {
    expect(valueOf(RAW, 'accept')).toBe('*/*');
    expect(valueOf(RAW, 'origin')).toBeUndefined();
    expect(valueOf(['x-other', 'host'], 'host')).toBeUndefined();
  }
});

test('the host is the only one; none is empty, and several are null', () => {
  expect(onlyHost(RAW)).toBe('shop.example');
  expect(onlyHost(['Accept', '*/*'])).toBe('');
  expect(onlyHost([...RAW, 'Host', 'shop.example'])).toBeNull();
});

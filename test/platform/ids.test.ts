import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { looksLikeApiKey, newApiKey, newId, newToken, sha256, uuidv7 } from '../../src/platform/ids.ts';

test('an id is its prefix and 22 characters of base62, never the same twice', () => {
  const ids = Array.from({ length: 2_000 }, () => newId('dep_'));
  for (const id of ids) expect(id).toMatch(/^dep_[0-9A-Za-z]{22}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every character of base62 is equally likely', () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 5_000; i++) {
    for (const character of newId('')) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const expected = (5_000 * 22) / 62;
  expect(counts.size).toBe(62);
  // Six standard deviations: fails for a fair generator once in 10 million runs, for `byte % 62` always.
  for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
});

test('a token holds 256 bits in base64url', () => {
  expect(newToken()).toMatch(/^[\w-]{43}$/);
  expect(Buffer.from(newToken(), 'base64url')).toHaveLength(32);
});

test('sha256 is the digest of the text in UTF-8', () => {
  expect(sha256('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('é')).toEqual(
    createHash('sha256')
      .update(Buffer.from([0xc3, 0xa9]))
      .digest(),
  );
});

test('an API key is dtr_ and 49 characters, and looks like one', () => {
  const key = newApiKey();
  expect(key).toMatch(/^dtr_[0-9A-Za-z]{49}$/);
  expect(looksLikeApiKey(key)).toBe(true);
});

test('an API key with any one character changed does not look like one', () => {
  const key = newApiKey();
  for (let at = 0; at < key.length; at++) {
    const other = key.charAt(at) === 'a' ? 'b' : 'a';
    expect(looksLikeApiKey(key.slice(0, at) + other + key.slice(at + 1)), `position ${at}`).toBe(false);
  }
});

test.each(['', 'dtr_', 'dtr_short', `${newApiKey()}x`, ` ${newApiKey()}`, `${newApiKey()}\n`, newToken()])(
  'what is not an API key does not look like one: %j',
  (text) => {
    expect(looksLikeApiKey(text)).toBe(false);
  },
);

test('UUIDs are of version 7 and in rising order, also within a millisecond and when the clock goes back', () => {
  const times = [5_000, 5_000, 4_000, 5_001, 1].map((ms) => ({ now: () => new Date(ms) }));
  const ids = times.flatMap((clock) => Array.from({ length: 3_000 }, () => uuidv7(clock)));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a UUID carries the time at which it was made', () => {
  const later = new Date('2100-01-01T00:00:00Z');
  const id = uuidv7({ now: () => later });
  expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(later.getTime());
});

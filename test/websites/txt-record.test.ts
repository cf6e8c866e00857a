import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkTxtRecord, proofOf } from '../../src/websites/txt-record.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';

const RECORD = proofOf('shop.example', 'right');

const texts: Record<string, string[]> = {};
let server: NameServer;
beforeAll(async () => {
  server = await startNameServer({ '_detour.silent.example': 'silent', '_detour.empty.example': [] }, texts);
});
afterAll(() => server.stop());

const check = (record = RECORD) => checkTxtRecord(record, [server.address]);

test('the record is at _detour below the host', () => {
  expect(RECORD).toEqual({ type: 'TXT', name: '_detour.shop.example', value: 'right' });
});

test('finds the value among other records, and in a record of several chunks', async () => {
  texts[RECORD.name] = ['other', 'right'];
  expect(await check()).toBeUndefined();
  const long = proofOf('shop.example', 'x'.repeat(300));
  texts[RECORD.name] = [long.value];
  expect(await check(long)).toBeUndefined();
});

test('says what it found instead', async () => {
  texts[RECORD.name] = ['right or not', 'Right', '"', 'fourth'];
  expect(await check()).toBe(
    `the TXT record _detour.shop.example is "right or not", "Right", ${JSON.stringify('"')} and 1 more`,
  );
  texts[RECORD.name] = ['y'.repeat(1_000)];
  expect((await check())?.length).toBeLessThan(200);
});

test.each(['missing.example', 'empty.example'])('says that %s has no record', async (host) => {
  expect(await check(proofOf(host, 'right'))).toBe(`there is no TXT record _detour.${host}`);
});

test('a silent name server is reported within the time limit', async () => {
  expect(await check(proofOf('silent.example', 'right'))).toMatch(
    /did not answer for _detour\.silent\.example \(E\w+\)/,
  );
  expect(server.asked.filter((name) => name.includes('silent')).length).toBeLessThanOrEqual(2);
});

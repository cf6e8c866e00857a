import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWebsiteNames } from '../../src/edge-agent/find-website.ts';
import { startStubApi, type StubAnswer, type StubApi } from '../support/stub-api.ts';

const website = (id: string, name: string, hostname: string) => ({ id, name, hosts: [{ hostname }] });
const WEBSITES = [
  website('1', 'shop.example', 'other.example'),
  website('2', 'Shop', 'shop.example'),
  website('3', 'Twin', 'one.example'),
  website('4', 'Twin', 'two.example'),
];

let api: StubApi;
let folder: string;
let answer: StubAnswer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'detour-names-'));
  answer = { body: { websites: WEBSITES } };
  api = await startStubApi(() => answer);
});
afterEach(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const names = (url = api.url) => openWebsiteNames(folder, { url, apiKey: 'dtr_test' });
const find = async (name: string) => (await names()).find(name, new AbortController().signal);

test('a website is found by its host, which takes precedence, or by its name', async () => {
  expect([await find('SHOP.example'), await find('shop')]).toEqual([2, 2]);
  expect(api.requests[0]?.headers.authorization).toBe('Bearer dtr_test');
});

test('an id needs no service, and neither does a name that was found before on the same service', async () => {
  expect((await names()).stored('7')).toBe(7);
  expect((await names()).stored('shop')).toBeUndefined();
  await find('shop');
  expect((await names()).stored('shop')).toBe(2);
  expect((await names('https://other.example')).stored('shop')).toBeUndefined();
});

test('an unknown name, one of several websites, and an error of the service say what to do', async () => {
  await expect(find('none')).rejects.toThrow('no website with the host or name "none": correct --website');
  await expect(find('twin')).rejects.toThrow('several websites have the name "twin": correct --website');
  answer = { status: 401, body: {} };
  await expect(find('shop')).rejects.toThrow(`${api.url} responds with 401 to the search for "shop"`);
});

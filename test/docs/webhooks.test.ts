import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OUTCOMES } from '../../src/webhooks/sending/outcome.ts';
import { newSecret, signatureHeaders } from '../../src/webhooks/sending/sign.ts';

type IsGenuine = (rawBody: Buffer, signature: string | undefined, secret: string) => boolean;

const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
let folder: string;
let isGenuine: IsGenuine;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'detour-docs-'));
  const file = join(folder, 'verify.mjs');
  writeFileSync(file, /```js\n([\s\S]+?)```/.exec(page)?.[1] ?? '');
  ({ isGenuine } = (await import(pathToFileURL(file).href)) as { isGenuine: IsGenuine });
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the JavaScript of the page accepts what the service signs, and nothing else', () => {
  const secret = newSecret();
  const body = '{"event":"redirect.created","data":{"notes":"größe \u2028 🙂"}}';
  const signed = signatureHeaders({
    eventId: 'event',
    body,
    now: new Date(0),
    secrets: { current: secret, previous: null },
    signWith: 'current',
  });
  const signature = signed['x-service-signature'] ?? '';
  expect(isGenuine(Buffer.from(body), signature, secret)).toBe(true);
  expect(isGenuine(Buffer.from(body), signature.replace('sha256=', ''), secret)).toBe(true);
  expect(isGenuine(Buffer.from(`${body} `), signature, secret)).toBe(false);
  expect(isGenuine(Buffer.from(body), signature, newSecret())).toBe(false);
  expect(isGenuine(Buffer.from(body), signature.slice(0, -2), secret)).toBe(false);
  expect(isGenuine(Buffer.from(body), undefined, secret)).toBe(false);
});

test('the page tells every outcome that an attempt can have', () => {
  const told = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map((found) => found[1]);
  expect(told).toEqual(expect.arrayContaining(Object.keys(OUTCOMES)));
});

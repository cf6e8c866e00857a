import { describe, expect, test } from 'vitest';
import { DomainError } from '../../../src/vocabulary/error.ts';
import { checkReceiverUrl } from '../../../src/webhooks/receivers/receiver-url.ts';
import { type Resolve, resolveHost } from '../../../src/platform/network/dns.ts';

const nowhere: Resolve = () => Promise.reject(new Error('ENOTFOUND'));
const to =
  (...addresses: string[]) =>
  () =>
    Promise.resolve(addresses);

async function refusal(
  url: string,
  egress: 'public' | 'private',
  resolve: Resolve = resolveHost,
): Promise<DomainError> {
  const answer = await checkReceiverUrl(url, egress, { resolve }).catch((error: unknown) => error);
  if (answer instanceof DomainError) return answer;
  throw new Error(`${url} was taken: ${String(answer)}`);
}

/** Every one of them is 127.0.0.1 or ::1. */
const loopbacks = [
  ...['127.0.0.1', '127.1', '127.0.1', '0x7f.1', '0x7f000001', '0X7F.0X0.0X0.0X1', '2130706433', '017700000001'],
  ...['0177.0.0.1', '127.0.0.1.', '127.1.', '①②⑦.⓪.⓪.①', '１２７．０．０．１', '127。0。0。1', '%31%32%37.0.0.1'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:0001]'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'api.localhost', 'ｌｏｃａｌｈｏｓｔ'],
];

const metadata = [
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518', '169.254.169.254.'],
  ...['[::ffff:169.254.169.254]', '[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[fd00:ec2::254]', '[fe80::1]'],
  ...['168.63.129.16', '100.100.100.200', '0.0.0.0', '0', '[::]', '255.255.255.255', '224.0.0.1', '[ff02::1]'],
];

describe('with egress public', () => {
  test.each([...loopbacks, ...metadata, '10.0.0.1', '192.168.0.1', '100.64.0.1', '[fd12::1]'])(
    'https://%s/ is refused with URL_NOT_ALLOWED and what to do',
    async (host) => {
      const error = await refusal(`https://${host}:8443/hook`, 'public');
      expect(error.code).toBe('URL_NOT_ALLOWED');
      expect(error.details).toMatch(/^url: .* (is|resolves to) .*: use (a public|another) address/);
    },
  );

  test('a name with one private address among public ones is rejected without revealing it', async () => {
    const error = await refusal('https://receiver.example/', 'public', to('8.8.8.8', '10.1.2.3'));
    expect(error.code).toBe('URL_NOT_ALLOWED');
    expect(error.details).toContain('receiver.example resolves to an address of a private network');
    expect(error.details).not.toContain('10.1.2.3');
  });

  test('a name with public addresses is accepted', async () => {
    const resolve = to('8.8.8.8', '2606:4700::1111');
    expect(await checkReceiverUrl('https://receiver.example/a', 'public', { resolve })).toBe(
      'https://receiver.example/a',
    );
  });
});

describe('with egress private', () => {
  test.each(loopbacks)('http://%s/ is accepted', async (host) => {
    const url = await checkReceiverUrl(`http://${host}:3000/hook`, 'private');
    expect(url).toMatch(/^http:\/\/(127\.0\.0\.1|\[::1\]|\[::ffff:7f00:1\]|(api\.)?localhost\.?):3000\/hook$/);
  });

  test.each(metadata)('http://%s/ is rejected', async (host) => {
    const error = await refusal(`http://${host}/`, 'private');
    expect(error.code).toBe('URL_NOT_ALLOWED');
    expect(error.details).toContain('use another address');
  });

  test('a name that resolves to metadata is rejected', async () => {
    const error = await refusal('http://receiver.example/', 'private', to('10.0.0.1', '169.254.169.254'));
    expect(error.code).toBe('URL_NOT_ALLOWED');
  });
});

describe('a name that does not resolve', () => {
  test('is accepted: it may resolve later, and every connection checks it again', async () => {
    expect(await checkReceiverUrl('https://soon.example/x', 'public', { resolve: nowhere })).toBe(
      'https://soon.example/x',
    );
    expect(await checkReceiverUrl('https://soon.invalid/x', 'public')).toBe('https://soon.invalid/x');
  });

  test('delays the request for at most 3 seconds', async () => {
    const began = performance.now();
    const forever = () => new Promise<string[]>(() => undefined);
    expect(await checkReceiverUrl('https://slow.example/x', 'public', { resolve: forever })).toBe(
      'https://slow.example/x',
    );
    expect(performance.now() - began).toBeLessThan(4_000);
  });
});

/** [url, part of the message] */
const malformed: [string, RegExp][] = [
  ['', /must begin with https/],
  ['example.com/hook', /must begin with https/],
  ['ftp://example.com/', /must begin with https/],
  ['file:///etc/passwd', /must begin with https/],
  ['javascript:alert(1)', /must begin with https/],
  ['http:example.com', /must begin with https/],
  ['https:/example.com', /must begin with https/],
  ['https://', /complete URL/],
  ['https://exa mple.com/', /spaces/],
  [' https://example.com/', /must begin with https/],
  ['https://example.com/ ', /spaces/],
  ['https://exam\nple.com/', /control characters/],
  ['https://example.com/\u0000', /control characters/],
  ['https://example.com/\ud800', /surrogates/],
  ['https://example.com:99999/', /complete URL/],
  ['https://1.2.3.4.5.6/', /complete URL/],
  ['https:///example.com/', /complete URL/],
  ['https:////example.com/', /complete URL/],
  ['https://\\\\example.com/', /backslashes/],
  ['https://example.com\\hook', /backslashes/],
  ['https://example.com:0/', /port/],
  ['https://@example.com/', /user name or password/],
  ['https://:@example.com/', /user name or password/],
  ['https://user@example.com/', /user name or password/],
  ['https://user:secret@example.com/', /user name or password/],
  ['https://:secret@example.com/', /user name or password/],
  ['https://example.com/#top', /fragment/],
  ['https://example.com/#', /fragment/],
  [`https://example.com/${'a'.repeat(2_029)}`, /at most 2048 characters, it has 2049/],
  [`https://example.com/${'ü'.repeat(400)}`, /once escaped, it has 2420/],
];

test.each(malformed)('%j is a VALIDATION_ERROR that names url and the remedy', async (url, message) => {
  const error = await refusal(url, 'private');
  expect(error.code).toBe('VALIDATION_ERROR');
  expect(error.issues.map(({ path }) => path)).toEqual(['url']);
  expect(error.details).toMatch(message);
  expect(error.details).not.toContain('secret');
});

test.each([
  ['https://example.com', 'https://example.com'],
  ['https://example.com/', 'https://example.com/'],
  ['https://example.com/hook?a=1&b=%20', 'https://example.com/hook?a=1&b=%20'],
  ['https://example.com/@you?mail=a@b', 'https://example.com/@you?mail=a@b'],
  ['https://example.com?mail=a@b', 'https://example.com/?mail=a@b'],
  ['HTTPS://Example.COM:443/Hook', 'https://example.com/Hook'],
  ['https://bücher.example/straße', 'https://xn--bcher-kva.example/stra%C3%9Fe'],
  ['https://example.com/a/../b', 'https://example.com/b'],
  [`https://example.com/${'a'.repeat(2_028)}`, `https://example.com/${'a'.repeat(2_028)}`],
])('%s is stored as %s', async (url, kept) => {
  expect(await checkReceiverUrl(url, 'public', { resolve: nowhere })).toBe(kept);
});

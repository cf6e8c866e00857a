/** Connections to blocked addresses, counted on real sockets: a listener there must get none. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Egress } from '../../../src/platform/network/egress.ts';
import type { Resolve } from '../../../src/platform/network/dns.ts';
import { createSender, type Sender } from '../../../src/webhooks/sending/send.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';

let receiver: Receiver;
const senders: Sender[] = [];
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => {
  receiver.requests.length = 0;
});
afterAll(async () => {
  for (const sender of senders) await sender.close();
  await receiver.stop();
});

function senderOf(egress: Egress, resolve?: Resolve) {
  const sender = createSender({ egress, timeoutMs: 2_000, ...(resolve && { resolve }) });
  senders.push(sender);
  return (url: string) => sender.send({ url, headers: {}, body: '{}' }, new AbortController().signal);
}

const loopbacks = [
  ...['127.0.0.1', '127.1', '0x7f.1', '0x7f000001', '2130706433', '0177.0.0.1', '017700000001', '127.0.0.1.'],
  ...['①②⑦.⓪.⓪.①', '１２７．０．０．１', '127。0。0。1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['localhost', 'LocalHost', 'localhost.', 'a.localhost'],
];

describe('with egress public', () => {
  test.each([...loopbacks, '[::1]', '0.0.0.0', '0', '[::]', '10.0.0.1', '169.254.169.254', '[64:ff9b::7f00:1]'])(
    'nothing reaches http://%s/',
    async (host) => {
      const answer = await senderOf('public')(`http://${host}:${receiver.port}/`);
      expect(answer).toMatchObject({ outcome: 'address', status: null, responseBody: null });
      expect(answer.error).toMatch(/ (is|resolves to) (a|an) /);
      expect(receiver.requests).toEqual([]);
    },
  );

  test('nothing reaches it over TLS either', async () => {
    expect((await senderOf('public')(`https://127.0.0.1:${receiver.port}/`)).outcome).toBe('address');
    expect((await senderOf('public')(`https://localhost:${receiver.port}/`)).outcome).toBe('address');
  });

  test.each([
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['2606:4700::1111', '::1']],
    [['8.8.8.8', '::ffff:127.0.0.1']],
    [['8.8.8.8', 'fe80::1%lo']],
  ])('one blocked address among %j rejects all', async (addresses) => {
    const send = senderOf('public', () => Promise.resolve(addresses));
    const answer = await send(`http://receiver.example:${receiver.port}/`);
    expect(answer).toMatchObject({ outcome: 'address', status: null });
    expect(answer.error).toMatch(/^receiver\.example resolves to /);
    expect(answer.error).not.toContain('127.0.0.1');
  });
});

describe('with egress private', () => {
  test.each(loopbacks)('http://%s/ is reached', async (host) => {
    const answer = await senderOf('private')(`http://${host}:${receiver.port}/`);
    expect(answer.outcome).toBe('delivered');
    expect(receiver.requests).toHaveLength(1);
  });

  test.each([
    ...['169.254.169.254', '0xa9fea9fe', '2852039166', '[::ffff:169.254.169.254]', '[64:ff9b::a9fe:a9fe]'],
    ...['[fd00:ec2::254]', '168.63.129.16', '100.100.100.200', '0.0.0.0', '0', '[::]', '[::ffff:0.0.0.0]'],
    ...['255.255.255.255', '224.0.0.1', '[fe80::1]', '[ff02::1]', '[2002:7f00:1::]'],
  ])('nothing reaches http://%s/', async (host) => {
    const answer = await senderOf('private')(`http://${host}:${receiver.port}/`);
    expect(answer).toMatchObject({ outcome: 'address', status: null });
    expect(receiver.requests).toEqual([]);
  });
});

test('a name that changes to a blocked address between two connections is blocked at the second', async () => {
  let asked = 0;
  // The connection is closed by the receiver after each answer, so each attempt makes a new one.
  receiver.reply((response) => response.writeHead(200, { connection: 'close' }).end());
  const send = senderOf('private', () => Promise.resolve(++asked === 1 ? ['127.0.0.1'] : ['169.254.169.254']));
  const url = `http://rebinding.example:${receiver.port}/`;
  expect((await send(url)).outcome).toBe('delivered');
  expect((await send(url)).outcome).toBe('address');
  expect(asked).toBe(2);
  expect(receiver.requests).toHaveLength(1);
  receiver.reply(200);
});

test('the connection goes to the address that was checked: a name is resolved once for each connection', async () => {
  let asked = 0;
  const send = senderOf('private', () => {
    asked += 1;
    return Promise.resolve(['127.0.0.1']);
  });
  const url = `http://once.example:${receiver.port}/`;
  expect((await send(url)).outcome).toBe('delivered');
  expect(asked).toBe(1);
  expect((await send(url)).outcome).toBe('delivered');
  expect(asked).toBeLessThanOrEqual(2);
  expect(receiver.requests.map(({ headers }) => headers.host)).toEqual(Array(2).fill(`once.example:${receiver.port}`));
});

test('an unreachable address is followed by the next one', async () => {
  const send = senderOf('private', () => Promise.resolve(['::1', '127.0.0.2', '127.0.0.1']));
  expect((await send(`http://several.example:${receiver.port}/`)).outcome).toBe('delivered');
});

test('a name without addresses is dns', async () => {
  const send = senderOf('private', () => Promise.resolve([]));
  expect(await send('http://empty.example/')).toMatchObject({
    outcome: 'dns',
    error: 'empty.example has no address',
  });
});

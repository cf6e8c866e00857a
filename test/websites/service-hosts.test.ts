import { expect, test } from 'vitest';
import { createServiceHosts } from '../../src/websites/service-hosts.ts';

const hosts = createServiceHosts({
  publicUrl: 'https://detour.example:8443',
  reservedHosts: ['old.example'],
  signUp: 'open',
});

test.each(['detour.example', 'old.example', 'localhost'])('%s always reaches the service', (host) => {
  expect([hosts.isReserved(host), hosts.isServed(host)]).toEqual([true, true]);
});

test.each([
  ...['127.0.0.1', '127.8.9.10', '10.1.2.3', '172.31.0.1', '192.168.4.5', '100.64.0.1', '169.254.1.1'],
  ...['[::1]', '[fd00::7]', '[fe80::1]', '[::ffff:10.0.0.1]', '[::ffff:a00:1]'],
  ...['detour', 'demo.localhost', 'printer.local', 'detour.corp.internal', ''],
])('%j reaches the service unless a website has it', (host) => {
  expect([hosts.isReserved(host), hosts.isServed(host)]).toEqual([false, true]);
});

test.each([
  ...['evil.example', 'www.detour.example', 'localhost.evil.example', 'evillocal.example', 'old.example.evil.example'],
  ...['8.8.8.8', '172.32.0.1', '10.0.0.1.evil.example', '0177.0.0.1', '0x7f.1', '[2a00::1]', '[::ffff:8.8.8.8]'],
  ...['[::1', '[evil.example]', '::1'],
])('%j does not reach the service', (host) => {
  expect([hosts.isReserved(host), hosts.isServed(host)]).toEqual([false, false]);
});

import { describe, expect, test } from 'vitest';
import { type Hosts, readHosts, writeHosts } from '../../dashboard/src/screens/websites/host-lines.ts';

test('a list is read line by line, with environments and domain redirects', () => {
  const text = `# shops
www.example.com
 https://Test.example.com:8080/path staging

*.example.com,development
old.example -> https://www.example.com
older.example staging => http://www.example.com/x 302 no-path`;
  const { hosts, lines, errors } = readHosts(text);
  expect(errors).toEqual([]);
  expect(lines).toEqual([2, 3, 5, 6, 7]);
  expect(hosts).toEqual([
    { hostname: 'www.example.com', environment: 'production' },
    { hostname: 'Test.example.com', environment: 'staging' },
    { hostname: '*.example.com', environment: 'development' },
    {
      hostname: 'old.example',
      environment: 'production',
      redirect_to: { url: 'https://www.example.com', status_code: 301, keep_path: true },
    },
    {
      hostname: 'older.example',
      environment: 'staging',
      redirect_to: { url: 'http://www.example.com/x', status_code: 302, keep_path: false },
    },
  ]);
});

test('hosts that are written are read again', () => {
  const hosts: Hosts = [
    { hostname: 'a.example', environment: 'production' },
    { hostname: '*.a.example', environment: 'staging' },
    {
      hostname: 'b.example',
      environment: 'development',
      redirect_to: { url: 'https://c.example/x', status_code: 308, keep_path: false },
    },
  ];
  expect(readHosts(writeHosts(hosts)).hosts).toEqual(hosts);
});

describe('a line that cannot be read is named, and the others are read', () => {
  test.each([
    ['a.example prod', 'prod is not an environment'],
    ['a.example staging more', 'staging more is not'],
    ['-> https://b.example', 'write the host first'],
    ['a.example -> b.example', 'write a URL'],
    ['a.example ->', 'write a URL'],
    ['a.example -> https://b.example 303', '303 is not known'],
    ['a.example -> https://b.example -> https://c.example', 'one -> only'],
    ['FIRST.example', 'is on line 1 already'],
  ])('%s', (line, message) => {
    const { hosts, errors } = readHosts(`first.example\n${line}\nlast.example`);
    expect(errors).toEqual([{ line: 2, message: expect.stringContaining(message) }]);
    expect(hosts.map(({ hostname }) => hostname)).toEqual(expect.arrayContaining(['first.example', 'last.example']));
  });
});

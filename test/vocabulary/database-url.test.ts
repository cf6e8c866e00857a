import { expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/vocabulary/database-url.ts';

test.each([
  ['postgres://u:p@h1/db', [['h1', 5432]], 'any', 'postgres://u:p@h1/db'],
  [
    'postgres://u:p,q@h1:5,h2:6/db?sslmode=require&target_session_attrs=read-write',
    [
      ['h1', 5],
      ['h2', 6],
    ],
    'primary',
    'postgres://u:p,q@h1:5/db?sslmode=require',
  ],
  [
    'postgres://[::1]:5,h2/db?target_session_attrs=any&x=1',
    [
      ['::1', 5],
      ['h2', 5432],
    ],
    'any',
    'postgres://[::1]:5/db?x=1',
  ],
  ['postgresql://h1/db?target_session_attrs=primary', [['h1', 5432]], 'primary', 'postgresql://h1/db'],
  ['postgres://h1/db?target_session_attrs=standby', [['h1', 5432]], 'standby', 'postgres://h1/db'],
  ['postgres:///db?host=/run/pg', [['/run/pg', 5432]], 'any', 'postgres:///db?host=/run/pg'],
])('%s', (url, hosts, role, connectionString) => {
  const list = hosts.map(([host, port]) => ({ host, port }));
  expect(parseDatabaseUrl(url)).toEqual({ connectionString, hosts: list, role });
});

test.each([
  ['mysql://h1/db', 'must be an address'],
  ['postgres://h1,,h2/db', 'must be an address'],
  ['postgres://h1,h2/db?target_session_attrs=read-only', 'set it to read-write, primary, standby or any'],
])('%s is invalid', (url, problem) => {
  expect(parseDatabaseUrl(url)).toContain(problem);
});

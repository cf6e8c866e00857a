import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JOBS } from '../soak/jobs/names.ts';

const TESTS = join(import.meta.dirname, '..');
const files = globSync('{soak,system/dashboard}/**/*.test.ts', { cwd: TESTS });
const sources = files.map((file) => readFileSync(join(TESTS, file), 'utf8')).join('\n');

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

test('every job that people do with the dashboard has a test of its name', () => {
  const isTested = (job: string): boolean => new RegExp(`'${escape(job)}[:']`).test(sources);
  expect(JOBS.filter((job) => !isTested(job))).toEqual([]);
});

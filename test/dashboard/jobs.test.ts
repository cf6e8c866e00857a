import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JOBS } from '../soak/jobs/names.ts';

const DIR = join(import.meta.dirname, '..', 'system', 'dashboard');
const files = readdirSync(DIR, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
const sources = files.map((file) => readFileSync(join(DIR, file), 'utf8')).join('\n');

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

test('every job that people do with the dashboard has a test of its name', () => {
  const isTested = (job: string): boolean => new RegExp(`'${escape(job)}[:']`).test(sources);
  expect(JOBS.filter((job) => !isTested(job))).toEqual([]);
});

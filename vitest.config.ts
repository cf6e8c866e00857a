import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/support/long-first.ts';

// Each file has a process of its own, which compiles the same packages: a tenth of all the work without this.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), `detour-test-code-${process.getuid?.() ?? 0}`);

// unit: no database. integration: one embedded PostgreSQL for the run, a template clone per file.
// system: needs Debian packages or minutes; run by `npm run test:system` and .ci/run only.
const integration = {
  globalSetup: './test/support/global-setup.ts',
  testTimeout: 30_000,
  hookTimeout: 60_000,
};

// Tests that need no database.
const UNIT = [
  'test/{resolver,vocabulary,platform,house,docs,dashboard,redirects/read-csv}/**/*.test.ts',
  'test/*.test.ts',
];

// They hold a time limit, so they run after all others, one after the other, with the machine to themselves.
const ALONE = ['test/system/webhooks-isolation.test.ts', 'test/system/dashboard/first-view.test.ts'];

export default defineConfig({
  test: {
    reporters: ['default', './test/support/count-reporter.ts'],
    // One more than cores of a small machine: many tests wait for a moment to come.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Properties compare tens of thousands of cases; on a busy machine that takes longer than it should.
          testTimeout: 60_000,
          include: UNIT,
        },
      },
      {
        extends: true,
        test: {
          ...integration,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...UNIT, 'test/system/**'],
        },
      },
      {
        extends: true,
        test: {
          ...integration,
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          exclude: ALONE,
          testTimeout: 600_000,
        },
      },
      ...ALONE.map((file, index) => ({
        extends: true as const,
        test: {
          ...integration,
          name: `system-alone-${index + 1}`,
          include: [file],
          testTimeout: 600_000,
          sequence: { groupOrder: index + 1 },
        },
      })),
    ],
  },
});

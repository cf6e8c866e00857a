import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/support/long-first.ts';
import { needsDatabase } from './test/support/needs-database.ts';

// Each test file runs in its own process. A shared compile cache saves a tenth of the run.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), `detour-test-code-${process.getuid?.() ?? 0}`);

// unit: no database. integration: one embedded PostgreSQL per run, one template clone per file.
// system: needs Debian packages; only `npm run test:system` and .ci/run run it.
// soak: kills, failovers, load, and whatever takes more than 30 s; only `npm run soak` runs it.
const integration = {
  globalSetup: './test/support/global-setup.ts',
  testTimeout: 30_000,
  hookTimeout: 60_000,
};

// They start programs and browsers on the built dashboard.
const system = {
  ...integration,
  globalSetup: [integration.globalSetup, './test/support/build.ts'],
  testTimeout: 600_000,
};

/** Tests of real processes. */
const PROCESSES = /^test\/(system|soak)\//;

// Follows from what each test imports, so that a new test is in the right project without being listed.
const UNIT = globSync('test/**/*.test.ts').filter((file) => !PROCESSES.test(file) && !needsDatabase(file));

// Tests whose cases, requests or rounds grow in a soak: those that use test/support/soak.ts, and all screens.
const LONGER = globSync('test/**/*.test.ts').filter(
  (file) => /^test\/system\/dashboard\//.test(file) || /support\/soak\.ts'/.test(readFileSync(file, 'utf8')),
);

// `isolate: false`: a worker runs many files in one process, so it loads the modules once. This saves a quarter of the run.
const ISOLATE = false;

export default defineConfig({
  test: {
    reporters: ['default', './test/support/count-reporter.ts'],
    // One more than the cores of a small machine, because many tests wait.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: ISOLATE,
          // Property tests compare tens of thousands of cases, which takes longer on a busy machine.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          include: UNIT,
        },
      },
      {
        extends: true,
        test: {
          ...integration,
          name: 'integration',
          isolate: ISOLATE,
          include: ['test/**/*.test.ts'],
          exclude: [...UNIT, 'test/system/**', 'test/soak/**'],
        },
      },
      {
        extends: true,
        test: {
          ...system,
          name: 'system',
          isolate: ISOLATE,
          include: ['test/system/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...system,
          name: 'soak',
          env: { SOAK: '1' },
          include: ['test/soak/**/*.test.ts', ...LONGER],
        },
      },
    ],
  },
});

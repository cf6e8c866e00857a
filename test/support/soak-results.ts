import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const FILE = join(import.meta.dirname, '../../bench/results/soak.json');

interface SoakResult {
  /** The commit that was tested, with `-dirty` if files were changed. */
  commit: string;
  /** UTC date of the run. */
  date: string;
  seconds: number;
  passed: number;
  failed: number;
}

/** Keeps the last result of each soak test in bench/results/soak.json, which is committed. */
export default class SoakResults implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const results: Record<string, SoakResult> = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
    const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
    const isDirty = git('status', '--porcelain', '--', '.', ':!bench/results') !== '';
    const commit = git('rev-parse', '--short', 'HEAD') + (isDirty ? '-dirty' : '');
    const date = new Date().toISOString().slice(0, 10);
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      const passed = states.filter((state) => state === 'passed').length;
      const failed = states.length - passed || (module.state() === 'failed' ? 1 : 0);
      const seconds = Math.round(module.diagnostic().duration / 1000);
      results[basename(module.moduleId, '.test.ts')] = { commit, date, seconds, passed, failed };
    }
    mkdirSync(dirname(FILE), { recursive: true });
    const sorted = Object.fromEntries(Object.entries(results).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
  }
}

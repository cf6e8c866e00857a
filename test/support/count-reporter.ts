import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Prints one final line that counts the tests. A file that fails without a failed test counts as one. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      const before = counts.failed;
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
      if (module.state() === 'failed' && counts.failed === before) counts.failed += 1;
    }
    // .ci/run runs them once more.
    const list = process.env['FAILED_FILES'];
    const files = modules.filter((module) => module.state() === 'failed').map((module) => module.moduleId);
    if (list) writeFileSync(list, files.map((file) => `${file}\n`).join(''));
    const skipped = counts.skipped + counts.pending;
    // Prints on exit, after the summaries of other reporters.
    process.once('exit', (code) => {
      // A global setup or an unhandled error fails the run without failing a test.
      const failed = counts.failed || (unhandled.length > 0 || code !== 0 ? 1 : 0);
      console.log(`${counts.passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
    });
  }
}

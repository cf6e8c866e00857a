/** Memory of a ruleset, in bytes per rule. */
import { emptyRuleset } from '../src/resolver/ruleset.ts';
import type { Bench } from './context.ts';
import { report } from './report.ts';
import { benchRow } from './rows.ts';

export function measureMemory({ rows }: Bench): void {
  const draft = emptyRuleset().fork();
  for (let index = 0; index < rows; index++) {
    const { oldPath, newPath, status } = benchRow(index);
    draft.add({ id: index + 1, key: oldPath, isRegex: false, newPath, statusCode: status });
  }
  const { bytes } = draft.seal();
  report('ruleBytes', bytes / rows, { bytes });
}

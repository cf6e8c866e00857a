import { Counter, type Registry } from 'prom-client';
import type { ImportResult } from '../redirects/import/engine/import-request.ts';

const VERDICTS = ['created', 'updated', 'skipped', 'deleted'] as const;

/** The result of an import, or of a sync with its changes as text. */
export type CountedImport = Omit<ImportResult, 'changes' | 'check'>;

/** Adds the imports that this process has received. Returns a function that counts one and returns its result. */
export function createImportMetrics(metrics: Registry) {
  const total = new Counter({
    name: 'detour_imports_total',
    help: 'Imports, dry runs included; a rejected one counts as failed',
    labelNames: ['result'],
    registers: [metrics],
  });
  const rows = new Counter({
    name: 'detour_import_rows_total',
    help: 'Rows of completed imports, dry runs included',
    labelNames: ['verdict'],
    registers: [metrics],
  });
  for (const result of ['completed', 'failed']) total.inc({ result }, 0);
  for (const verdict of [...VERDICTS, 'invalid']) rows.inc({ verdict }, 0);
  return async <Output extends CountedImport>(running: Promise<Output>): Promise<Output> => {
    let result = 'failed';
    try {
      const output = await running;
      result = 'completed';
      for (const verdict of VERDICTS) rows.inc({ verdict }, output[verdict]);
      rows.inc({ verdict: 'invalid' }, output.errorCount);
      return output;
    } finally {
      total.inc({ result });
    }
  };
}

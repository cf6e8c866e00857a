import { Counter, type Registry } from 'prom-client';
import type { ImportResult } from '../redirects/import/engine/import-request.ts';

type Result = 'completed' | 'failed';

/** The result of an import, or of a sync with its changes as text. */
export type CountedImport = Omit<ImportResult, 'changes'>;

/** Counts the import that `running` stands for, and returns its result. */
export type CountImport = <Output extends CountedImport>(running: Promise<Output>) => Promise<Output>;

/** Adds the imports that this process has received. */
export function createImportMetrics(metrics: Registry): CountImport {
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
  for (const result of ['completed', 'failed'] satisfies Result[]) total.inc({ result }, 0);
  for (const verdict of ['created', 'updated', 'skipped', 'deleted', 'invalid']) rows.inc({ verdict }, 0);
  return async (running) => {
    let result: Result = 'failed';
    try {
      const output = await running;
      result = 'completed';
      rows.inc({ verdict: 'created' }, output.created);
      rows.inc({ verdict: 'updated' }, output.updated);
      rows.inc({ verdict: 'skipped' }, output.skipped);
      rows.inc({ verdict: 'deleted' }, output.deleted);
      rows.inc({ verdict: 'invalid' }, output.errorCount);
      return output;
    } finally {
      total.inc({ result });
    }
  };
}

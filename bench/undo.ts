/** Undo of an import, against the import itself, and the event loop delay meanwhile; then of every kind of change. */
import { type Bench, createWebsite, dropWebsite, postBulk } from './context.ts';
import { report } from './report.ts';
import type { Service } from './service.ts';
import { median, seconds } from './statistics.ts';
import { measureUndoKinds } from './undo-kinds.ts';

interface Undone {
  undo: { deleted: number; conflicts: number };
}

/** Without deployment, so that only the writes are compared. */
export async function measureUndo(bench: Bench): Promise<void> {
  const service = await bench.service();
  const file = (await bench.files()).ndjson(0);
  const [imports, undos, delays]: [number[], number[], number[]] = [[], [], []];
  for (let repeat = 0; repeat < bench.repeats; repeat++) {
    const website = await createWebsite(service, `undone${repeat}`, false);
    imports.push(await seconds(() => postBulk(service, website, file)));
    const id = await lastChange(service, website.id);
    await service.read('reset');
    undos.push(
      await seconds(async () => {
        const { undo } = await service.call<Undone>('POST', `/api/changes/${id}/undo`, '{}');
        if (undo.deleted !== bench.rows) throw new Error(`the undo deleted ${undo.deleted} redirects`);
      }),
    );
    delays.push((await service.read('read')).delayMaxMs);
    await dropWebsite(service, website);
  }
  report('undoImport', median(undos) / median(imports), { seconds: undos, import_seconds: imports });
  report('undoDelay', median(delays), { delays });
  await measureUndoKinds(bench);
}

async function lastChange(service: Service, websiteId: number): Promise<string> {
  const path = `/api/changes?website_id=${websiteId}&limit=1`;
  const { changes } = await service.call<{ changes: { id: string }[] }>('GET', path);
  const [change] = changes;
  if (!change) throw new Error('the import is not a change');
  return change.id;
}

import { batch } from '@preact/signals';
import { asApiError, isAbort } from '../../api/client/api-error.ts';
import { importFile, newImportId } from '../../api/imports.ts';
import type { FileImported } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { problemOfFile, UNREADABLE } from './file/file-kind.ts';
import type { State } from './import-state.ts';
import { fileProblem } from './import-words.ts';
import { watchImport } from './watch-import.ts';

/** Sends the file with its options. A later call aborts an earlier one. */
export function createSending(state: State, websiteId: number) {
  const { file, step, progress } = state;
  let controller = new AbortController();

  async function send(isDryRun: boolean): Promise<void> {
    const sent = file.value;
    if (!sent) return;
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    batch(() => {
      state.error.value = undefined;
      progress.value = { phase: 'sending', done: 0, of: sent.size };
      state.startedAt.value = performance.now();
      step.value = isDryRun ? 'checking' : 'importing';
    });
    const ended = new AbortController();
    const id = newImportId();
    const onSent = (bytes: number, total: number): void => {
      if (signal.aborted || progress.peek().phase !== 'sending') return;
      progress.value = { phase: bytes < total ? 'sending' : 'working', done: bytes, of: total };
      if (bytes < total) return;
      void watchImport(
        { id, website_id: websiteId },
        sent.size,
        AbortSignal.any([signal, ended.signal]),
        (seen) => (progress.value = seen),
      );
    };
    try {
      const body = { ...requestOf(state, websiteId), dry_run: isDryRun, import_id: id };
      const result = await importFile(sent, body, { onSent, signal });
      if (!signal.aborted) storeResult(state, websiteId, result, isDryRun);
    } catch (thrown) {
      if (!signal.aborted && !isAbort(thrown)) await storeFailure(state, thrown, sent);
    } finally {
      ended.abort();
    }
  }
  return { send, stop: () => controller.abort() };
}

function requestOf({ options, mapping, corrections }: State, websiteId: number) {
  const { group_id, ...chosen } = options.value;
  const rows = { columns: mapping.value, corrections: corrections.value, website_id: websiteId };
  return { ...chosen, group_id: group_id?.trim() || undefined, ...rows };
}

function storeResult(state: State, websiteId: number, result: FileImported, isDryRun: boolean): void {
  const { file, shown } = state;
  if (state.isLeft.value) {
    const redirects = counted(result.imported + result.changed, 'redirect');
    const link = { label: 'View imports', href: `/websites/${websiteId}/import` };
    return toast(`${redirects} imported from ${file.value?.name ?? 'the file'}`, undefined, link);
  }
  batch(() => {
    (isDryRun ? state.checked : state.done).value = result;
    state.step.value = isDryRun ? 'checked' : 'done';
    if (shown.value && !result.verdicts?.[shown.value]) shown.value = undefined;
  });
}

async function storeFailure(state: State, thrown: unknown, sent: File): Promise<void> {
  const failure = asApiError(thrown);
  if (state.isLeft.value) return toastError(failure, `Could not import ${sent.name}`);
  // A file that has changed fails like a lost connection.
  const isUnreadable = failure.status === 0 && (await problemOfFile(sent)) === UNREADABLE;
  if (state.file.value !== sent) return;
  batch(() => {
    if (isUnreadable) state.problem.value = UNREADABLE;
    else state.error.value = failure;
    if (fileProblem(failure)?.isOfColumns === true && !state.checked.value) state.isMapped.value = true;
    state.step.value = 'checked';
  });
}

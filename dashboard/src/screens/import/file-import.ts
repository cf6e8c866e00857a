import { batch, signal } from '@preact/signals';
import { type ApiError, asApiError, isAbort } from '../../api/api-error.ts';
import type { Verdict } from '../../../../src/vocabulary/import-verdict.ts';
import { type Corrections, importFile, type ImportOptions, newImportId } from '../../api/imports.ts';
import type { FileImported } from '../../api/wire.ts';
import { sampleOf } from './csv-sample.ts';
import { type ImportProgress, watchImport } from './watch-import.ts';

const SAMPLE_ROWS = 4;

type Options = Pick<ImportOptions, 'on_conflict' | 'add_slash' | 'wildcards' | 'target_environments' | 'group_id'>;

/** While the user types a group, the file is not checked. */
const TYPING_MS = 600;
type Step = 'choosing' | 'checking' | 'checked' | 'importing' | 'done';
type State = ReturnType<typeof createState>;

export type FileImport = ReturnType<typeof createFileImport>;

/** State of a file import: chosen, checked (again after each change of an option), imported. */
export function createFileImport(websiteId: number) {
  const state = createState();
  const { send, stop } = createSending(state, websiteId);
  let typing: ReturnType<typeof setTimeout> | undefined;
  function check(): void {
    clearTimeout(typing);
    void send(true);
  }
  function reset(): void {
    stop();
    clearTimeout(typing);
    batch(() => {
      state.corrections.value = {};
      state.file.value = undefined;
      state.checked.value = undefined;
      state.done.value = undefined;
      state.error.value = undefined;
      state.mapping.value = {};
      // Fixes of the last file. Files of a server do not take them.
      state.options.value = { ...state.options.value, add_slash: false, wildcards: undefined };
      state.shown.value = undefined;
      state.step.value = 'choosing';
    });
  }
  return {
    ...state,
    websiteId,
    reset,
    check,
    run(): void {
      clearTimeout(typing);
      void send(false);
    },
    choose(file: File): void {
      reset();
      state.file.value = file;
      void sampleOf(file, SAMPLE_ROWS).then((rows) => (state.sample.value = rows));
      check();
    },
    setOptions(change: Partial<Options>): void {
      state.options.value = { ...state.options.value, ...change };
      check();
    },
    setGroup(group_id: string): void {
      state.options.value = { ...state.options.value, group_id };
      clearTimeout(typing);
      typing = setTimeout(check, TYPING_MS);
    },
    correct(line: number, values: Corrections[number]): void {
      const { value: corrections } = state.corrections;
      state.corrections.value = { ...corrections, [line]: { ...corrections[line], ...values } };
      check();
    },
    map(header: string, field: string): void {
      state.mapping.value = { ...state.mapping.value, [header]: field };
      check();
    },
  };
}

function createState() {
  return {
    file: signal<File | undefined>(undefined),
    /** the first rows of the file */
    sample: signal<string[][]>([]),
    step: signal<Step>('choosing'),
    options: signal<Options>({ on_conflict: 'skip', add_slash: false }),
    corrections: signal<Corrections>({}),
    mapping: signal<Record<string, string>>({}),
    checked: signal<FileImported | undefined>(undefined),
    done: signal<FileImported | undefined>(undefined),
    error: signal<ApiError | undefined>(undefined),
    /** shows only rows with this verdict; undefined: all rows */
    shown: signal<Verdict | undefined>(undefined),
    progress: signal<ImportProgress>({ phase: 'sending', done: 0, of: 0 }),
    /** start of the current request, from performance.now() */
    startedAt: signal(0),
  };
}

function createSending(state: State, websiteId: number) {
  const { file, step, options, corrections, mapping, checked, done, error, progress } = state;
  let controller = new AbortController();

  async function send(isDryRun: boolean): Promise<void> {
    if (!file.value) return;
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    const { size } = file.value;
    batch(() => {
      error.value = undefined;
      progress.value = { phase: 'sending', done: 0, of: size };
      state.startedAt.value = performance.now();
      step.value = isDryRun ? 'checking' : 'importing';
    });
    const ended = new AbortController();
    const id = newImportId();
    const onSent = (bytes: number, total: number): void => {
      if (signal.aborted || progress.peek().phase !== 'sending') return;
      progress.value = { phase: bytes < total ? 'sending' : 'working', done: bytes, of: total };
      if (bytes < total) return;
      void watchImport(id, size, AbortSignal.any([signal, ended.signal]), (seen) => (progress.value = seen));
    };
    const { group_id, ...chosen } = options.value;
    const rows = { columns: mapping.value, corrections: corrections.value, website_id: websiteId };
    const request = { ...chosen, group_id: group_id?.trim() || undefined, ...rows };
    try {
      const body = { ...request, dry_run: isDryRun, import_id: id };
      const result = await importFile(file.value, body, { onSent, signal });
      if (!signal.aborted) store(result, isDryRun);
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) return;
      batch(() => {
        error.value = asApiError(thrown);
        step.value = 'checked';
      });
    } finally {
      ended.abort();
    }
  }

  function store(result: FileImported, isDryRun: boolean): void {
    batch(() => {
      (isDryRun ? checked : done).value = result;
      step.value = isDryRun ? 'checked' : 'done';
      const { value: only } = state.shown;
      if (only && !result.verdicts?.[only]) state.shown.value = undefined;
    });
  }
  return { send, stop: () => controller.abort() };
}

import { batch, signal } from '@preact/signals';
import { type ApiError, asApiError, isAbort } from '../../api/api-error.ts';
import { importFile, type ImportOptions, type ImportResult } from '../../api/imports.ts';
import { sampleOf } from './csv-sample.ts';

const SAMPLE_ROWS = 4;

type Options = Pick<ImportOptions, 'on_conflict' | 'add_slash'>;
type Step = 'choosing' | 'checking' | 'checked' | 'importing' | 'done';
type State = ReturnType<typeof createState>;

export type FileImport = ReturnType<typeof createFileImport>;

/** One file on its way in: chosen, checked (again whenever an option changes), imported. */
export function createFileImport(websiteId: number) {
  const state = createState();
  const { send, stop } = createSending(state, websiteId);
  const check = (): void => void send(true);
  function forget(): void {
    stop();
    batch(() => {
      state.file.value = undefined;
      state.checked.value = undefined;
      state.done.value = undefined;
      state.error.value = undefined;
      state.mapping.value = {};
      state.step.value = 'choosing';
    });
  }
  return {
    ...state,
    forget,
    check,
    run: (): void => void send(false),
    choose(file: File): void {
      forget();
      state.file.value = file;
      void sampleOf(file, SAMPLE_ROWS).then((rows) => (state.sample.value = rows));
      check();
    },
    setOptions(change: Partial<Options>): void {
      state.options.value = { ...state.options.value, ...change };
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
    /** the first rows, as they stand in the file */
    sample: signal<string[][]>([]),
    step: signal<Step>('choosing'),
    options: signal<Options>({ on_conflict: 'skip', add_slash: false }),
    mapping: signal<Record<string, string>>({}),
    checked: signal<ImportResult | undefined>(undefined),
    done: signal<ImportResult | undefined>(undefined),
    error: signal<ApiError | undefined>(undefined),
    /** which part of the file has been sent, 0 to 1 */
    sent: signal(0),
  };
}

function createSending(state: State, websiteId: number) {
  const { file, step, options, mapping, checked, done, error, sent } = state;
  let under = new AbortController();

  async function send(isDryRun: boolean): Promise<void> {
    if (!file.value) return;
    under.abort();
    under = new AbortController();
    const mine = under.signal;
    batch(() => {
      error.value = undefined;
      sent.value = 0;
      step.value = isDryRun ? 'checking' : 'importing';
    });
    const asked = { ...options.value, columns: mapping.value, website_id: websiteId, dry_run: isDryRun };
    try {
      const onSent = (part: number): void => void (sent.value = part);
      const result = await importFile(file.value, asked, { onSent, signal: mine });
      if (mine.aborted) return;
      (isDryRun ? checked : done).value = result;
      step.value = isDryRun ? 'checked' : 'done';
    } catch (thrown) {
      if (mine.aborted || isAbort(thrown)) return;
      error.value = asApiError(thrown);
      step.value = 'checked';
    }
  }
  return { send, stop: () => under.abort() };
}

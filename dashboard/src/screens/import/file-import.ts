import type { Corrections } from '../../api/imports.ts';
import type { Website } from '../../api/client/wire.ts';
import { guessedFields, sampleOf } from './file/csv-sample.ts';
import { problemOfFile } from './file/file-kind.ts';
import { createState, hasEdits, type Options, resetState, type State } from './import-state.ts';
import { createSending } from './send-import.ts';

const SAMPLE_ROWS = 4;

/** While the user types a group, the file is not checked. */
const TYPING_MS = 600;

export type FileImport = ReturnType<typeof createFileImport>;

/** Actions of the screen on the import of a file. */
export function createFileImport({ id: websiteId }: Pick<Website, 'id'>) {
  const state = createState();
  const { send, stop } = createSending(state, websiteId);
  let typing: ReturnType<typeof setTimeout> | undefined;
  const sendNow = (isDryRun: boolean): void => {
    clearTimeout(typing);
    void send(isDryRun);
  };
  const check = (): void => sendNow(true);
  function reset(): void {
    stop();
    clearTimeout(typing);
    resetState(state);
  }
  return {
    ...state,
    websiteId,
    reset,
    check,
    run: (): void => sendNow(false),
    hasEdits: (): boolean => hasEdits(state),
    /** Leaves the screen. An import in progress goes on, and a message says how it ended. */
    leave(): void {
      state.isLeft.value = true;
      if (state.step.value !== 'importing') reset();
    },
    choose(file: File): void {
      reset();
      state.file.value = file;
      void open(state, file, () => send(true));
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
      state.isGuessed.value = false;
      state.mapping.value = { ...state.mapping.value, [header]: field };
      check();
    },
  };
}

/** Checks a file. If the names of its columns are unknown, checks it again with the fields that their contents suggest. */
async function open(state: State, file: File, check: () => Promise<void>): Promise<void> {
  const problem = await problemOfFile(file);
  if (state.file.value !== file) return;
  state.problem.value = problem;
  if (problem) return;
  const checking = check();
  const rows = await sampleOf(file, SAMPLE_ROWS);
  if (state.file.value !== file) return;
  state.sample.value = rows;
  await checking;
  const fields = state.file.value === file && state.isMapped.value ? guessedFields(rows) : undefined;
  if (!fields || Object.keys(state.mapping.value).length > 0) return;
  state.mapping.value = fields;
  state.isGuessed.value = true;
  await check();
}

/** State of a file import: chosen, checked (again after each change of an option), imported. */
import { batch, signal } from '@preact/signals';
import type { Verdict } from '../../../../src/vocabulary/import/verdict.ts';
import type { ApiError } from '../../api/client/api-error.ts';
import type { Corrections, ImportOptions } from '../../api/imports.ts';
import type { FileImported } from '../../api/client/wire.ts';
import type { FileProblem } from './import-words.ts';
import { isPasted } from './file/offered-file.ts';
import type { ImportProgress } from './watch-import.ts';

export type Options = Pick<
  ImportOptions,
  'on_conflict' | 'add_slash' | 'wildcards' | 'target_environments' | 'group_id'
>;

type Step = 'choosing' | 'checking' | 'checked' | 'importing' | 'done';

export type State = ReturnType<typeof createState>;

export function createState() {
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
    /** why the file is not sent */
    problem: signal<FileProblem | undefined>(undefined),
    /** the service did not recognize the columns, so they are above the rows */
    isMapped: signal(false),
    /** the mapping comes from the contents of the columns, and not from the user */
    isGuessed: signal(false),
    /** the user has left the screen */
    isLeft: signal(false),
    /** shows only rows with this verdict; undefined: all rows */
    shown: signal<Verdict | undefined>(undefined),
    progress: signal<ImportProgress>({ phase: 'sending', done: 0, of: 0 }),
    /** start of the current request, from performance.now() */
    startedAt: signal(0),
  };
}

/** Forgets the file and what was chosen for it. The options stay. */
export function resetState(state: State): void {
  batch(() => {
    state.corrections.value = {};
    state.file.value = undefined;
    state.problem.value = undefined;
    state.isMapped.value = false;
    state.isGuessed.value = false;
    state.sample.value = [];
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

/** True if leaving loses what the user has typed or chosen for the file. */
export function hasEdits({ file, step, corrections, mapping, isGuessed, options }: State): boolean {
  if (!file.value || step.value === 'done' || step.value === 'importing') return false;
  const isTyped = isPasted(file.value) || (options.value.group_id ?? '') !== '';
  const edits = isGuessed.value ? [corrections] : [corrections, mapping];
  return isTyped || edits.some(({ value }) => Object.keys(value).length > 0);
}

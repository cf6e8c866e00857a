import { useSignal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { type PushQuery, pushUrls, restoreUrls } from '../../api/urls.ts';
import type { PushedUrls, UrlList, Website } from '../../api/client/wire.ts';
import { fileSize, number } from '../../format.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { toast, undoWith } from '../../state/toasts.ts';
import { Check } from '../../ui/form/field.tsx';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { type FieldTable, FormFields } from '../../ui/form/form-fields.tsx';
import { Skeleton } from '../../ui/page/states.tsx';
import { ENVIRONMENT_OPTIONS } from '../../ui/text/environment.tsx';
import { PickFile } from '../import/file/pick-file.tsx';
import { pushLines, removedQuestion } from './url-words.ts';

const DEBOUNCE_MS = 300;

type Draft = Pick<PushQuery, 'list' | 'environment'>;

const FIELDS: FieldTable<Draft> = [
  {
    name: 'list',
    label: 'List',
    required: true,
    isCode: true,
    autofocus: true,
    hint: 'A URL lives while any list has it. Use one for each part, such as docs, blog or shop.',
  },
  { name: 'environment', label: 'Environment', options: ENVIRONMENT_OPTIONS },
];

interface PushProps {
  website: Website;
  environment: Environment;
  /** of all environments */
  lists: UrlList[];
}

/** Takes a file that is chosen, or dropped anywhere on the screen, as a list. */
export function PushFile(props: PushProps) {
  const file = useSignal<File | undefined>(undefined);
  return (
    <>
      <PickFile
        verb="Push file"
        job="Push a file"
        label="File with URLs"
        dropText="Drop the file to see what it changes"
        onFile={(chosen) => (file.value = chosen)}
      />
      {file.value && (
        <PushDialog key={file.value} {...props} file={file.value} onClose={() => (file.value = undefined)} />
      )}
    </>
  );
}

/** Shows what a file would change in a list, then makes the list exactly that of the file. */
function PushDialog(props: PushProps & { file: File; onClose: () => void }) {
  const { website, environment, lists, file, onClose } = props;
  const draft = useSignal<Draft>({ list: (lists.length === 1 && lists[0]?.list) || 'main', environment });
  const isComplete = useSignal(false);
  // The dry run shows what would leave the list, however much it is.
  const query = { ...draft.value, dry_run: true, max_removed: '100%' };
  const preview = useAnswer(JSON.stringify(query), (signal) => pushUrls(website.id, file, query, signal), DEBOUNCE_MS);
  const result = preview.isCurrent ? preview.answer : undefined;
  const question = result && removedQuestion(result);
  function change(changes: Partial<Draft>): void {
    draft.value = { ...draft.value, ...changes };
    isComplete.value = false;
  }
  return (
    <FormDialog
      title="Push a list of URLs"
      verb="Apply"
      isReady={result !== undefined && (question === undefined || isComplete.value)}
      isDisposable
      onSend={async () => {
        await apply(website, file, { ...draft.value, max_removed: String(result?.urls.removed ?? 0) }, lists);
        onClose();
      }}
      onClose={onClose}
    >
      {(error) => (
        <>
          <p class="break">
            <strong>{file.name}</strong> <span class="muted">({fileSize(file.size)})</span> becomes the complete list.
          </p>
          <FormFields fields={FIELDS} draft={draft.value} onChange={change} error={preview.error ?? error} />
          <section class="stack gap-3" aria-live="polite" aria-label="Effect">
            {result ? <Effect result={result} /> : !preview.error && <Skeleton />}
          </section>
          {question !== undefined && (
            <Check label={question} checked={isComplete.value} onCheck={(next) => (isComplete.value = next)} />
          )}
        </>
      )}
    </FormDialog>
  );
}

const Effect = ({ result }: { result: PushedUrls }) =>
  pushLines(result).map(({ text, details, isWarning = false }) => (
    <div key={text} class={isWarning ? 'break warned' : 'break'}>
      {text}
      {details.map((each) => (
        <div key={each} class="small muted">
          {each}
        </div>
      ))}
    </div>
  ));

/** Offers the former state of the list as Undo, unless the list is new. */
async function apply(website: Website, file: File, query: PushQuery, lists: UrlList[]): Promise<void> {
  const { list, environment } = query;
  const version = lists.find((each) => each.list === list && each.environment === environment)?.list_version;
  const { urls } = await pushUrls(website.id, file, query);
  const undo =
    version === undefined
      ? undefined
      : undoWith(() => restoreUrls(website.id, { list, environment, list_version: version }));
  toast(`${list}: ${number(urls.added)} added, ${number(urls.removed)} removed`, undo);
}

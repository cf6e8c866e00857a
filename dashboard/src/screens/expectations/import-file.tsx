import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { replaceExpectations } from '../../api/checks.ts';
import type { Website } from '../../api/client/wire.ts';
import { fileSize, number } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { FileInput } from '../../ui/file-input.tsx';
import { Confirm } from '../../ui/confirm.tsx';

/**
 * Replaces all expectations by those of the file of `input`, after a confirmation. `present`: how many there are, in
 * words.
 */
export function ImportFile(props: {
  input: RefObject<HTMLInputElement | null>;
  website: Website;
  present: string | undefined;
  onDone: () => void;
}) {
  const { input, website, present, onDone } = props;
  const file = useSignal<File | undefined>(undefined);
  async function replace(chosen: File): Promise<void> {
    const { created, updated, deleted } = await replaceExpectations(website.id, chosen);
    toast(`Expectations: ${number(created)} added, ${number(updated)} updated, ${number(deleted)} deleted`);
    onDone();
  }
  return (
    <>
      <FileInput
        input={input}
        label="File with expectations"
        accept=".csv,.json,.ndjson,.jsonl,text/csv,application/json"
        onFile={(chosen) => (file.value = chosen)}
      />
      {file.value && (
        <Confirm
          title="Replace all expectations?"
          verb="Replace"
          onConfirm={async () => file.value && replace(file.value)}
          onClose={() => (file.value = undefined)}
        >
          <p>
            <strong class="break">{file.value.name}</strong> ({fileSize(file.value.size)}) becomes the list of
            expectations of {website.name}.{' '}
            {present === undefined
              ? 'The list is empty now.'
              : `${present}: those that are not in the file are deleted.`}{' '}
            {present !== undefined && 'This cannot be undone; export them first to keep a copy.'}
          </p>
        </Confirm>
      )}
    </>
  );
}

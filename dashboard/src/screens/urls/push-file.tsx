import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useFileDrop } from '../import/file/offered-file.ts';
import { useKeys } from '../../state/keys.ts';
import { Button } from '../../ui/button.tsx';
import { FileInput } from '../../ui/file-input.tsx';
import { PushDialog } from './push-dialog.tsx';

/** Takes a file that is chosen, or dropped anywhere on the screen, as a list. */
export function PushFile(props: Omit<Parameters<typeof PushDialog>[0], 'file' | 'onClose'>) {
  const input = useRef<HTMLInputElement>(null);
  const file = useSignal<File | undefined>(undefined);
  const isOver = useFileDrop((dropped) => (file.value = dropped));
  const choose = (): void => input.current?.click();
  useKeys([{ keys: 'f', label: 'Push a file', run: choose }]);
  return (
    <>
      <Button kind="primary" icon="import" keys="F" onClick={choose}>
        Push file
      </Button>
      <FileInput input={input} label="File with URLs" onFile={(chosen) => (file.value = chosen)} />
      {isOver.value && <p class="url-drop">Drop the file to see what it changes</p>}
      {file.value && (
        <PushDialog key={file.value} {...props} file={file.value} onClose={() => (file.value = undefined)} />
      )}
    </>
  );
}

import './pick-file.css';
import { useRef } from 'preact/hooks';
import { useKeys } from '../../../state/keys.ts';
import { Button } from '../../../ui/button.tsx';
import { FileInput } from '../../../ui/file-input.tsx';
import { useFileDrop } from './offered-file.ts';

interface PickProps {
  verb: string;
  /** of the key F */
  job: string;
  /** of the input */
  label: string;
  dropText: string;
  onFile: (file: File) => void;
}

/** Takes a file that is chosen, or dropped anywhere on the screen. */
export function PickFile({ verb, job, label, dropText, onFile }: PickProps) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useFileDrop(onFile);
  const choose = (): void => input.current?.click();
  useKeys([{ keys: 'f', label: job, run: choose }]);
  return (
    <>
      <Button kind="primary" icon="import" keys="F" onClick={choose}>
        {verb}
      </Button>
      <FileInput input={input} label={label} onFile={(chosen) => chosen && onFile(chosen)} />
      {isOver.value && <p class="drop-hint">{dropText}</p>}
    </>
  );
}

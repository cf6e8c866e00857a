import { useEffect, useRef } from 'preact/hooks';
import { discardPrompt } from '../state/unsaved.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Asks before unsaved changes are lost. Enter and Escape keep them. */
export function DiscardChanges({ onDiscard }: { onDiscard: () => void }) {
  const footer = useRef<HTMLElement>(null);
  useEffect(() => footer.current?.querySelector('button')?.focus(), []);
  const keep = (): void => void (discardPrompt.value = undefined);
  function discard(): void {
    keep();
    // After this dialog is gone, because nothing else can take the focus before.
    setTimeout(onDiscard);
  }
  return (
    <Dialog title="Discard changes?" onClose={keep}>
      <div class="dialog-body">
        <p>Your changes are not saved.</p>
      </div>
      <footer ref={footer}>
        <Button onClick={keep}>Keep editing</Button>
        <Button kind="danger" onClick={discard}>
          Discard
        </Button>
      </footer>
    </Dialog>
  );
}

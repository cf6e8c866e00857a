import { allShortcuts, areKeysShown } from '../state/keys.ts';
import { Dialog } from '../ui/dialog.tsx';

/** Every key that does something on this screen. */
export function KeysOverlay() {
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (areKeysShown.value = false)}>
      <div class="dialog-body">
        <dl class="keys">
          {allShortcuts()
            .toReversed()
            .map(({ keys, label }) => (
              <div key={keys}>
                <dt>{label}</dt>
                <dd>
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{NAMES[key] ?? key}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          <div>
            <dt>Show these keys</dt>
            <dd>
              <kbd>?</kbd>
            </dd>
          </div>
        </dl>
      </div>
    </Dialog>
  );
}

const NAMES: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  ' ': 'Space',
};

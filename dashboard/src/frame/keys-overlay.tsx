import { allShortcuts, areKeysShown } from '../state/keys.ts';
import { Dialog } from '../ui/dialog.tsx';

/** Every key that does something on this screen. */
export function KeysOverlay() {
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (areKeysShown.value = false)}>
      {/* It may be longer than the window: what scrolls has to be reached with the keyboard. */}
      <div class="dialog-body" tabIndex={0} role="region" aria-label="All keys">
        <dl class="keys">
          {allShortcuts()
            .toReversed()
            .map(({ keys, label }) => (
              <div key={keys}>
                <dt>{label}</dt>
                <dd>
                  {partsOf(keys).map((key) => (
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

/** The space bar is a key; between two keys a space divides them. */
const partsOf = (keys: string): string[] => (keys === ' ' ? [keys] : keys.split(' '));

const NAMES: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  ' ': 'Space',
};

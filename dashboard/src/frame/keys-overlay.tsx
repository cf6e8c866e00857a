import { allShortcuts, areKeysShown, type Shortcut } from '../state/keys.ts';
import { Dialog } from '../ui/dialog.tsx';

const THIS_ONE = { keys: '?', label: 'Show these keys' };

/** Every key that does something on this screen; then those that lead to another, in the order of the sidebar. */
export function KeysOverlay() {
  const all = allShortcuts();
  const leading = all.filter(leads);
  const here = all.filter((shortcut) => !leads(shortcut)).toReversed();
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (areKeysShown.value = false)}>
      {/* It may be longer than the window: what scrolls has to be reached with the keyboard. */}
      <div class="dialog-body" tabIndex={0} role="region" aria-label="All keys">
        <h3>Here</h3>
        <Keys list={[...here, THIS_ONE]} />
        <h3>Go to</h3>
        <Keys
          look="places"
          list={leading.map(({ keys, label }) => ({ keys, label: label.replace('Go to ', '') }))}
        />
      </div>
    </Dialog>
  );
}

const leads = ({ keys }: Shortcut): boolean => keys.startsWith('g ');

function Keys({ list, look = '' }: { list: readonly Pick<Shortcut, 'keys' | 'label'>[]; look?: string }) {
  return (
    <dl class={`keys ${look}`}>
      {list.map(({ keys, label }) => (
        <div key={keys}>
          <dt>{label}</dt>
          <dd>
            {partsOf(keys).map((key) => (
              <kbd key={key}>{NAMES[key] ?? key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The space bar is a key; between two keys a space divides them. */
const partsOf = (keys: string): string[] => (keys === ' ' ? [keys] : keys.split(' '));

const NAMES: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowRight: '→',
  Escape: 'Esc',
  ' ': 'Space',
};

import { allShortcuts, areKeysShown, type Shortcut } from '../state/keys.ts';
import { FINDER_KEYS } from './finder/entry.ts';
import { Dialog } from '../ui/dialog.tsx';

const HELP = { keys: '?', label: 'Show keyboard shortcuts' };

/** Lists the shortcuts of this screen, then those that open another, in the order of the sidebar. */
export function KeysOverlay() {
  const all = withoutOverridden(allShortcuts());
  const navigation = all.filter(isNavigation);
  const onThisScreen = all.filter((shortcut) => !isNavigation(shortcut)).toReversed();
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (areKeysShown.value = false)}>
      {/* Focusable, because it may scroll. */}
      <div class="dialog-body" tabIndex={0} role="region" aria-label="All shortcuts">
        <h3>On this screen</h3>
        <Keys list={[...onThisScreen, HELP]} />
        <h3>Go to</h3>
        <Keys
          look="places"
          list={navigation.map(({ keys, label }) => ({ keys, label: label.replace('Go to ', '') }))}
        />
      </div>
    </Dialog>
  );
}

/** The last of several shortcuts with the same keys is the one that runs. */
const withoutOverridden = (all: Shortcut[]): Shortcut[] =>
  all.filter(({ keys }, at) => all.findLastIndex((other) => other.keys === keys) === at);

const isNavigation = ({ keys }: Shortcut): boolean => keys.startsWith('g ');

function Keys({ list, look = '' }: { list: readonly Pick<Shortcut, 'keys' | 'label'>[]; look?: string }) {
  return (
    <dl class={`stack keys ${look}`}>
      {list.map(({ keys, label }) => (
        <div key={keys} class="row apart top">
          <dt>{label}</dt>
          <dd class="row gap-1">
            {partsOf(keys).map((key) => (
              <kbd key={key}>{NAMES[key] ?? key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A space separates the keys of a sequence; alone it is the space bar. */
const partsOf = (keys: string): string[] => (keys === ' ' ? [keys] : keys.split(/[ +]/));

const NAMES: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowRight: '→',
  Escape: 'Esc',
  ' ': 'Space',
  Mod: FINDER_KEYS.startsWith('⌘') ? '⌘' : 'Ctrl',
};

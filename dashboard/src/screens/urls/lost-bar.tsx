import { useSignal } from '@preact/signals';
import type { WebsiteUrl } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { RowSelectionBar } from '../../ui/list/selection-bar.tsx';
import type { RowSelection } from '../../ui/list/use-selection.ts';
import { AcceptManyDialog } from './accept-many.tsx';
import { bestTarget, type LostUrls, needsRedirect, redirectAllLost } from './actions.ts';
import { wholeFolder } from './url-words.ts';

/** Actions for the selected lost URLs. */
export function LostBar(props: { lost: LostUrls; rows: readonly WebsiteUrl[]; selection: RowSelection<string> }) {
  const { lost, rows, selection } = props;
  const isAccepting = useSignal(false);
  const selected = rows.filter(({ id }) => selection.has(id));
  const suggested = selected.filter((each) => bestTarget(each) !== undefined);
  const urls = selected.map(({ url }) => url);
  const without = selected.length - suggested.length;
  async function redirect(): Promise<void> {
    await redirectAllLost(lost, suggested);
    selection.clear();
  }
  return (
    <RowSelectionBar label="Selected URLs" selection={selection}>
      {suggested.length > 0 && (
        <ActionButton size="small" kind="primary" failure="Could not create the redirects" onAct={redirect}>
          Create {counted(suggested.length, 'redirect')} from suggestions
        </ActionButton>
      )}
      {without > 0 && (
        <span class="small muted">
          {suggested.length > 0 ? `${counted(without, 'has', 'have')} none` : 'No suggestions'}
        </span>
      )}
      <Button size="small" onClick={() => (isAccepting.value = true)}>
        Accept as lost…
      </Button>
      {isAccepting.value && (
        <AcceptManyDialog
          website={lost.website}
          urls={urls}
          folder={wholeFolder(
            urls,
            rows.filter(needsRedirect).map(({ url }) => url),
          )}
          onDone={selection.clear}
          onClose={() => (isAccepting.value = false)}
        />
      )}
    </RowSelectionBar>
  );
}

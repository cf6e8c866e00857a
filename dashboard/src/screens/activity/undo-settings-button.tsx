import type { ActivityEntry, Website } from '../../api/client/wire.ts';
import { mayEditAt } from '../../state/session.ts';
import { ActionButton } from '../../ui/button.tsx';
import { labelOf } from '../audit/audit-text.ts';
import { undoOf, undoSettings } from './undo-settings.ts';

interface Props {
  settings: NonNullable<ActivityEntry['settings']>;
  website: Website;
  onReload: () => void;
}

/** Undoes a change of settings, if that is possible. */
export function UndoSettings({ settings, website, onReload }: Props) {
  const undo = undoOf(settings);
  if (!undo || !mayEditAt(website.id)) return null;
  return (
    <ActionButton
      size="small"
      icon="undo"
      data-key="u"
      aria-label={`Undo: ${labelOf(settings.action)}`}
      failure="Could not undo"
      onAct={() => undoSettings(website, undo, onReload)}
    >
      Undo
    </ActionButton>
  );
}

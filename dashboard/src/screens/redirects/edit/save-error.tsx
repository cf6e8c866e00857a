import type { ApiError } from '../../../api/client/api-error.ts';
import { fetchHistory } from '../../../api/changes.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice, Problem } from '../../../ui/page/states.tsx';
import { isShownByField } from './field-errors.tsx';
import { RedirectChanged } from './redirect-changed.tsx';
import type { DraftState } from './use-draft.ts';

interface SaveErrorProps {
  state: DraftState;
  /** saves again */
  onSave: (event: Event) => void;
  /** creates the redirect again after its deletion; undefined for a new one */
  onCreate: (() => void) | undefined;
}

/** Why the panel could not be saved, and the next step. The form stays as it is. */
export function SaveError({ state, onSave, onCreate }: SaveErrorProps) {
  const error = state.error.value;
  if (!error || isShownByField(error)) return null;
  if (error.changed) return <RedirectChanged state={state} error={error} onSave={onSave} />;
  const id = state.base.value?.id;
  if (error.code === 'REDIRECT_NOT_FOUND' && id !== undefined && onCreate)
    return <Deleted id={id} onCreate={onCreate} />;
  return <Problem error={error} onRetry={isTemporary(error) ? () => onSave(new Event('submit')) : undefined} />;
}

/** True if the same request may succeed later. */
const isTemporary = ({ status }: ApiError): boolean =>
  status === 0 || status === 401 || status === 429 || status >= 500;

/** Says who deleted the redirect of an open panel. */
export function Deleted({ id, onCreate }: { id: number; onCreate: () => void }) {
  const { data } = useResource(`deleted:${id}`, (signal) => fetchHistory(id, { limit: 1 }, signal));
  const name = data.value?.history[0]?.actor.name;
  return (
    <Notice>
      <div role="alert">
        This redirect was deleted{name ? ` by ${name}` : ''}. What you see is not saved.{' '}
        <Button size="small" onClick={onCreate}>
          Create it again
        </Button>
      </div>
    </Notice>
  );
}

import type { Website } from '../../api/wire.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loops, TrialResult } from './trial-result.tsx';
import type { DraftState } from './use-draft.ts';
import { environmentsOf } from './view.ts';

interface PreviewProps {
  website: Website;
  state: DraftState;
  isNew: boolean;
  mayEdit: boolean;
  /** the path that a pattern is tried on */
  tryPath: string;
  onTryPath: (path: string) => void;
}

/**
 * Where the redirect would lead beside the rules that are live: who answers the source now, and every step to the end. A pattern stands
 * for many paths, so the person says one to try it on.
 */
export function TrialPreview({ website, state, isNew, mayEdit, tryPath, onTryPath }: PreviewProps) {
  const { draft, check, onChange } = state;
  const isTried = draft.is_regex && tryPath.trim() !== '';
  const isShown = check && (draft.is_regex ? isTried : check.trial !== null || check.now !== null);
  if (!draft.is_regex && !isShown) return null;
  const environment = check?.trial?.environment ?? environmentsOf(draft)[0] ?? 'production';
  return (
    <section class="lead" aria-label="Where it would lead">
      <h3>Where it would lead, by what is live in {ENVIRONMENT_LABEL[environment].toLowerCase()}</h3>
      {draft.is_regex && <TryField tryPath={tryPath} onTryPath={onTryPath} check={check} />}
      <div class="lead-outlook" aria-live="polite">
        {isShown && (
          <TrialResult
            website={website}
            draft={draft}
            check={check}
            isNew={isNew}
            onChange={mayEdit ? onChange : undefined}
          />
        )}
        {check && <Loops check={check} />}
      </div>
    </section>
  );
}

function TryField({
  tryPath,
  onTryPath,
  check,
}: Pick<PreviewProps, 'tryPath' | 'onTryPath'> & Pick<DraftState, 'check'>) {
  const issue = check?.issues.find(({ path }) => path === 'try_path')?.message;
  return (
    // Enter asks here, and saves elsewhere.
    <div
      onKeyDown={(event) =>
        event.key === 'Enter' && !event.ctrlKey && !event.metaKey && event.preventDefault()
      }
    >
      <TextField
        label="Try it on a path"
        isCode
        placeholder="/blog/2024/hello"
        value={tryPath}
        onText={onTryPath}
        wrong={tryPath.trim() === '' || issue === undefined ? undefined : `The path ${issue}`}
      />
    </div>
  );
}

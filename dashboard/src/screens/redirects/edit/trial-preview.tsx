import type { Website } from '../../../api/client/wire.ts';
import { ENVIRONMENT_LABEL } from '../../../ui/text/environment.tsx';
import { TextField } from '../../../ui/form/field.tsx';
import { Loops, TrialResult } from './trial-result.tsx';
import type { DraftState } from './use-draft.ts';
import { environmentsOf } from '../view.ts';

interface PreviewProps {
  website: Website;
  state: DraftState;
  isNew: boolean;
  mayEdit: boolean;
  /** the path to test a pattern with */
  tryPath: string;
  onTryPath: (path: string) => void;
}

/**
 * Tests the draft against the live rules: which redirect serves the source now, and every step to the end. Patterns
 * need a test path from the user.
 */
export function TrialPreview({ website, state, isNew, mayEdit, tryPath, onTryPath }: PreviewProps) {
  const { draft, check, onChange } = state;
  const isTried = draft.is_regex && tryPath.trim() !== '';
  const isShown = check && (draft.is_regex ? isTried : check.trial !== null || check.now !== null);
  if (!draft.is_regex && !isShown) return null;
  const environment = check?.trial?.environment ?? environmentsOf(draft)[0] ?? 'production';
  return (
    <section class="stack gap-3 lead" aria-label="Preview">
      <h3>Preview with the live rules in {ENVIRONMENT_LABEL[environment].toLowerCase()}</h3>
      {draft.is_regex && <TryField tryPath={tryPath} onTryPath={onTryPath} check={check} />}
      <div class="stack gap-3" aria-live="polite">
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
    // Enter does not submit the form here.
    <div onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && !event.metaKey && event.preventDefault()}>
      <TextField
        label="Test path"
        isCode
        placeholder="/blog/2024/hello"
        value={tryPath}
        onText={onTryPath}
        error={tryPath.trim() === '' || issue === undefined ? undefined : `The path ${issue}`}
      />
    </div>
  );
}

import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/page/states.tsx';
import { focusInput } from './path-fields.tsx';
import type { DraftState } from './use-draft.ts';
import { asPattern, looksLikePattern } from './wildcards.ts';

function asksForPattern({ draft, base, isText }: DraftState): boolean {
  const stored = base.value;
  const isStored = stored && stored.old_path === draft.old_path && (stored.new_path ?? '') === draft.new_path;
  return !isText.value && !isStored && looksLikePattern(draft);
}

/** Focuses the question of a form whose wildcards wait for an answer. Returns false if it has none. */
export function focusQuestion(state: DraftState, event: Event): boolean {
  const form = event.currentTarget;
  if (!asksForPattern(state) || !(form instanceof Element)) return false;
  form.querySelector<HTMLElement>('.notice [role=status] button')?.focus();
  return true;
}

/** Says that a typed path has wildcards, which only a pattern has, until the user has chosen what they are. */
export function WildcardNotice({ state }: { state: DraftState }) {
  const { draft, isText, onChange } = state;
  if (!asksForPattern(state)) return null;
  const pattern = asPattern(draft);
  const choose = (run: () => unknown) => (event: { currentTarget: HTMLElement }) => {
    focusInput(event.currentTarget, 'old_path');
    run();
  };
  return (
    <Notice>
      <div class="stack gap-2" role="status">
        <span>
          This looks like a pattern, but <strong>Pattern</strong> is off: only the path with exactly these characters
          redirects.
        </span>
        <span class="actions">
          <Button size="small" onClick={choose(() => onChange(pattern))}>
            Make it a pattern
          </Button>
          <Button size="small" onClick={choose(() => (isText.value = true))}>
            Keep as text
          </Button>
          <code class="small break">{pattern.old_path}</code>
        </span>
      </div>
    </Notice>
  );
}

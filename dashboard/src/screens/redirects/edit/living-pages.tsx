/** Living pages in the form of a redirect: choices of its target, and whether that is one. */
import type { RedirectCheck } from '../../../api/client/wire.ts';
import { listUrls } from '../../../api/urls.ts';
import { useAnswer } from '../../../state/resource/use-answer.ts';
import { currentWebsite } from '../../../state/websites.ts';
import { Button } from '../../../ui/button.tsx';
import { NearPages } from '../../../ui/near-pages.tsx';
import { WrappedPath } from '../../../ui/text/path-text.tsx';
import { environmentsOf } from '../view.ts';
import { focusInput } from './path-fields.tsx';
import type { DraftState } from './use-draft.ts';

const DEBOUNCE_MS = 250;
const MIN_LENGTH = 2;
const MAX_PAGES = 10;

/** Living pages whose URL or title has the typed target, as the choices of its field. Errors are ignored. */
export function TargetOptions({ id, state: { draft, isTouched } }: { id: string; state: DraftState }) {
  const website = currentWebsite.value?.id ?? 0;
  const q = draft.new_path.trim();
  const environment = environmentsOf(draft)[0] ?? 'production';
  const { answer } = useAnswer(
    isTouched && !draft.is_regex && q.length >= MIN_LENGTH ? `${website} ${environment} ${q}` : undefined,
    (signal) => listUrls(website, { environment, state: 'living', q, limit: MAX_PAGES }, signal),
    DEBOUNCE_MS,
  );
  return (
    <datalist id={id}>
      {answer?.urls.map(({ id: key, url, title }) => (
        <option key={key} value={url} label={title ?? undefined} />
      ))}
    </datalist>
  );
}

/** Says that the end of a chain is no living page, with pages that it may mean. */
export function DeadEnd({ state, trial }: { state: DraftState; trial: NonNullable<RedirectCheck['trial']> }) {
  const { environment, final_page: page, final_url: url } = trial;
  if (page === null || page === 'living') return null;
  return (
    <>
      <p class="bad">
        <code>
          <WrappedPath path={url} />
        </code>{' '}
        {page === 'removed' ? 'has left' : 'is not in'} the lists of living pages.
      </p>
      {!state.draft.is_regex && (
        <NearPages websiteId={currentWebsite.value?.id ?? 0} environment={environment} path={url} title="Did you mean">
          {(target) => <TakeTarget state={state} target={target} />}
        </NearPages>
      )}
    </>
  );
}

/** Makes a path the target of the form; `label` is before it. */
export const TakeTarget = ({ state, target, label = '' }: { state: DraftState; target: string; label?: string }) => (
  <Button
    size="small"
    onClick={({ currentTarget }: { currentTarget: HTMLElement }) => {
      focusInput(currentTarget, 'new_path');
      state.onChange({ new_path: target });
    }}
  >
    <span>
      {label} <WrappedPath path={target} />
    </span>
  </Button>
);

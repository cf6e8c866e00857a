import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { type BulkChange, type BulkEffect, type BulkSelection, previewBulkUpdate } from '../../api/redirects.ts';
import { counted, number } from '../../format.ts';
import { WrappedPath } from '../../ui/path-text.tsx';
import { effectLines, isComplete, reasonOf } from './bulk-changes.ts';

const DEBOUNCE_MS = 350;

/** Asks the service what the updates would do, debounced. The effect is undefined until it is that of these updates. */
export function useBulkEffect(
  selection: BulkSelection,
  updates: BulkChange,
): { effect: BulkEffect | undefined; error: ApiError | undefined } {
  const key = JSON.stringify(updates);
  const result = useSignal<{ key: string; effect?: BulkEffect; error?: ApiError } | undefined>(undefined);
  useEffect(() => {
    if (!isComplete(updates)) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      previewBulkUpdate(selection, updates, controller.signal).then(
        ({ effect }) => {
          if (!controller.signal.aborted) result.value = { key, effect };
        },
        (thrown: unknown) => {
          if (!controller.signal.aborted) result.value = { key, error: asApiError(thrown) };
        },
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  const current = result.value?.key === key && isComplete(updates) ? result.value : undefined;
  return { effect: current?.effect, error: current?.error };
}

/** The effect of the update, and the redirects that cannot change, by reason. */
export function Effect({ effect, isPending }: { effect: BulkEffect | undefined; isPending: boolean }) {
  return (
    <div class="bulk-effect" aria-live="polite">
      {!effect && <p class="muted">{isPending ? 'Checking…' : 'Choose what to change.'}</p>}
      {effect && (
        <ul class="facts-list">
          {effectLines(effect).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {effect?.problems.map((problem) => (
        <details key={`${problem.field} ${problem.code}`}>
          <summary>
            {counted(problem.count, 'redirect')}: {reasonOf(problem)}
          </summary>
          <ul class="diff" aria-label="Redirects that cannot change" tabIndex={0}>
            {problem.redirects.map(({ redirect_id: id, old_path: path }) => (
              <li key={id} class="changed">
                <span aria-hidden="true">!</span>
                <WrappedPath path={path} />
              </li>
            ))}
          </ul>
          {problem.count > problem.redirects.length && (
            <p class="small muted">and {number(problem.count - problem.redirects.length)} more</p>
          )}
        </details>
      ))}
    </div>
  );
}

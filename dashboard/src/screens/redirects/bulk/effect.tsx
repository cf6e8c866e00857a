import type { ComponentChildren } from 'preact';
import type { BulkChange, BulkEffect } from '../../../api/redirects.ts';
import { counted, number } from '../../../format.ts';
import { WrappedPath } from '../../../ui/text/path-text.tsx';
import { effectLines, reasonOf } from './bulk-changes.ts';

interface EffectProps {
  effect: BulkEffect | undefined;
  updates?: BulkChange;
  children?: ComponentChildren;
}

/** The effect of a bulk update: the numbers, and what cannot change. `children` replaces it while it is unknown. */
export function Effect({ effect, updates, children }: EffectProps) {
  return (
    <div class="stack gap-3" aria-live="polite">
      {!effect && children && <p class="muted">{children}</p>}
      {effect && (
        <ul>
          {effectLines(effect, updates).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {effect?.samples && (
        <ul class="diff" aria-label="Examples" tabIndex={0}>
          {effect.samples.map(({ redirect_id: id, old_path: path, new_old_path: newPath, before, after }) => (
            <li key={id} class="changed">
              <span aria-hidden="true">~</span>
              <span class="break">
                {newPath !== undefined && (
                  <>
                    <del>{path}</del>{' '}
                  </>
                )}
                <WrappedPath path={newPath ?? path} /> <span class="muted">→</span>{' '}
                {before !== after && <del>{before}</del>} {after}
              </span>
            </li>
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

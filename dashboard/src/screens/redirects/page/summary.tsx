import type { Redirect } from '../../../api/client/wire.ts';
import { WrappedPath } from '../../../ui/text/path-text.tsx';
import { summaryText } from './summary-text.ts';

/** The stored redirect in one sentence: `/old redirects to /new, permanently (301).` */
export function Summary({ redirect }: { redirect: Redirect }) {
  const { old_path: source, new_path: target } = redirect;
  const { start, middle, end } = summaryText(redirect);
  return (
    <p class="redirect-summary break">
      {start}
      <strong class="mono">
        <WrappedPath path={source} />
      </strong>
      {middle}
      {target !== null && (
        <strong class="mono">
          <WrappedPath path={target} />
        </strong>
      )}
      {end}
    </p>
  );
}

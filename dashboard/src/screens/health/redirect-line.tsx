import { Icon } from '../../ui/icons.tsx';
import { PathText } from '../../ui/path-text.tsx';

/** A redirect that a finding names, in one line; the path leads to its form. */
export function RedirectLine({
  websiteId,
  id,
  from,
  to,
}: {
  websiteId: number;
  id: number;
  from: string;
  to: string | null;
}) {
  return (
    <div class="redirect-line mono">
      <a href={redirectAddress(websiteId, id)}>
        <PathText path={from} />
      </a>
      <Icon name="arrow" />
      {to === null ? <span class="muted">gone</span> : <PathText path={to} />}
    </div>
  );
}

/** The form of one redirect, over the list. */
export const redirectAddress = (websiteId: number, id: number): string =>
  `/websites/${websiteId}/redirects?open=${id}`;

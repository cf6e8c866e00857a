import { Icon } from '../../ui/icons.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { redirectUrl } from '../../urls.ts';

/** A redirect of a finding in one line, with a link to its panel. */
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
      <a href={redirectUrl(websiteId, id)}>
        <PathText path={from} />
      </a>
      <Icon name="arrow" />
      {to === null ? <span class="muted">gone</span> : <PathText path={to} />}
    </div>
  );
}

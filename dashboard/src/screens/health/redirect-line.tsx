import { fetchRedirect } from '../../api/redirects.ts';
import { useResource } from '../../state/use-resource.ts';
import { Icon } from '../../ui/icons.tsx';
import { PathText } from '../../ui/path-text.tsx';

/** A redirect that the report names by its id alone: read when it is shown, and a link to its form. */
export function RedirectLine({ websiteId, id }: { websiteId: number; id: number }) {
  const found = useResource(`redirect:${id}`, (signal) => fetchRedirect(id, signal));
  const redirect = found.data.value?.redirect;
  const href = `/websites/${websiteId}/redirects?open=${id}`;
  if (!redirect) {
    return (
      <div class="redirect-line">
        {found.error.value ? (
          <span>
            <a href={href}>Redirect {id}</a> <span class="muted small">{found.error.value.message}</span>
          </span>
        ) : (
          <span class="skeleton" aria-busy="true" aria-label="Loading" role="status" />
        )}
      </div>
    );
  }
  return (
    <div class="redirect-line mono">
      <a href={href}>
        <PathText path={redirect.old_path} />
      </a>
      <Icon name="arrow" />
      {redirect.new_path === null ? (
        <span class="muted">gone ({redirect.status_code})</span>
      ) : (
        <PathText path={redirect.new_path} />
      )}
    </div>
  );
}

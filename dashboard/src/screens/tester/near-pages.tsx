import type { TestedUrl, Website } from '../../api/client/wire.ts';
import { useNearPages } from '../../state/resource/use-near-pages.ts';
import { LinkButton } from '../../ui/button.tsx';
import { PathText } from '../../ui/text/path-text.tsx';

/** Pages that an unmatched path may mean. A click opens the new redirect to one. */
export function NearPages({ website, answer: { environment, path } }: { website: Website; answer: TestedUrl }) {
  const near = useNearPages(website.id, environment, path);
  if (near.length === 0) return null;
  return (
    <section>
      <h2>Did you mean</h2>
      <ul class="row wrap">
        {near.map(({ target, reasons }) => (
          <li key={target} class="shrink" title={reasons.join('\n')}>
            <LinkButton
              size="small"
              icon="arrow"
              href={`/websites/${website.id}/redirects?${String(new URLSearchParams({ new: path, target }))}`}
            >
              <span class="unseen">Redirect {path} to </span>
              <span class="mono">
                <PathText path={target} />
              </span>
            </LinkButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

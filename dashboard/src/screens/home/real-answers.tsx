import { listRedirects, testUrls } from '../../api/redirects.ts';
import type { Website } from '../../api/client/wire.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { PathText } from '../../ui/text/path-text.tsx';
import { liveUrl } from '../../urls.ts';

const COUNT = 5;

/** A website without a verified host is tried in the tester. */
const testerUrl = (id: number, url: string): string => `/websites/${id}/tester?url=${encodeURIComponent(url)}`;

/** The live responses to the newest redirects, each with a link that a visitor would follow. */
export function RealAnswers({ website }: { website: Website }) {
  const { id } = website;
  const found = useResource(`answers:${id}`, async (signal) => {
    const filter = { website_id: id, environment: 'production' as const, is_regex: false };
    const { redirects } = await listRedirects(filter, { sort: '-id', limit: COUNT }, signal);
    const urls = redirects.map(({ old_path: path }) => path);
    if (urls.length === 0) return [];
    return (await testUrls({ website_id: id, environment: 'production', against: 'live', urls })).results;
  });
  const results = found.data.value ?? [];
  if (results.length === 0) return null;
  return (
    <ul class="stack gap-1 grow" aria-label="Live responses">
      {results.map(({ url, status_code: status, location }) => (
        <li key={url} class="row wrap">
          <a
            class="mono break"
            href={liveUrl(website, 'production', url) ?? testerUrl(id, url)}
            target="_blank"
            rel="noreferrer"
          >
            <PathText path={url} />
          </a>
          <span class={`badge ${location === null ? 'warn' : 'ok'}`}>{status}</span>
          {location !== null && (
            <span class="mono break">
              <PathText path={location} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

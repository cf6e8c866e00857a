import { useSignal } from '@preact/signals';
import { listRedirects, testUrls } from '../../api/redirects.ts';
import type { Website } from '../../api/client/wire.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { PathText } from '../../ui/text/path-text.tsx';
import { liveUrl } from '../../urls.ts';
import type { ResolvedUrl } from '../tester/expected-lines.ts';
import { kindOf } from '../tester/resolved-text.ts';

const COUNT = 5;

/** A website without a verified host is tried in the tester. */
const testerUrl = (id: number, url: string): string => `/websites/${id}/tester?url=${encodeURIComponent(url)}`;

/** Until all answer, such as after the first deployment. */
const REFRESH_MS = 5_000;

/** The live responses to the newest of its redirects. */
export function useRealAnswers({ id }: Website, redirects: number): readonly ResolvedUrl[] {
  const isDone = useSignal(false);
  const found = useResource(
    `answers:${id}:${redirects}`,
    async (signal) => {
      if (redirects === 0) return [];
      const filter = { website_id: id, environment: 'production' as const, is_regex: false };
      const { redirects: newest } = await listRedirects(filter, { sort: '-id', limit: COUNT }, signal);
      const urls = newest.map(({ old_path: path }) => path);
      if (urls.length === 0) return [];
      const { results } = await testUrls({ website_id: id, environment: 'production', against: 'live', urls });
      isDone.value = doAnswer(results);
      return results;
    },
    { everyMs: redirects === 0 || isDone.value ? undefined : REFRESH_MS },
  );
  return found.data.value ?? [];
}

/** True if a redirect answers each of them. */
export const doAnswer = (results: readonly ResolvedUrl[]): boolean =>
  results.length > 0 && results.every((result) => ['redirected', 'chain', 'gone'].includes(kindOf(result)));

/** Each with a link that a visitor would follow. */
export function RealAnswers({ website, results }: { website: Website; results: readonly ResolvedUrl[] }) {
  const { id } = website;
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

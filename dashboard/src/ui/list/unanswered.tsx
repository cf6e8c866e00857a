/** The reason for a 404 where a redirect is expected: the schedule of the redirect, or none exists. */
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { testUrls } from '../../api/redirects.ts';
import { mayEdit } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { LinkButton } from '../button.tsx';
import { type Inactive, inactiveOf, ScheduledRedirect } from '../scheduled-redirect.tsx';
import type { TestedRules } from './answering-redirect.tsx';

/** URLs that one test looks up. */
const MAX_URLS = 200;

/** A URL that gets 404 where another response is expected. */
export type Unanswered = TestedRules & { url: string };

interface Expecting {
  status_code: number;
}

/** True if a redirect is expected and nothing answers. */
export const isUnanswered = (
  expected: Expecting | null | undefined,
  actual: { status_code: number | null; problem: string | null } | null | undefined,
): boolean => expected?.status_code !== 404 && actual?.status_code === 404 && actual.problem === null;

const keyOf = ({ environment, url }: Pick<Unanswered, 'environment' | 'url'>): string => `${environment} ${url}`;

/** Looks up why the URLs, all of one website, are not answered. */
export function useUnanswered(urls: readonly Unanswered[]) {
  const lines = urls.slice(0, MAX_URLS);
  const found = useResource(`unanswered:${JSON.stringify(lines)}`, async () => {
    const places = Map.groupBy(lines, ({ environment, rules = 'live' }) => `${environment} ${rules}`);
    const tests = [...places.values()].map((place) => inactiveIn(place));
    return new Map<string, Inactive | undefined>((await Promise.all(tests)).flat());
  });
  return {
    /** undefined while it is looked up; null: there is no redirect */
    of(line: { environment: Environment; url: string }): Inactive | null | undefined {
      const known = found.data.value;
      return known?.has(keyOf(line)) ? (known.get(keyOf(line)) ?? null) : undefined;
    },
    reload: found.reload,
  };
}

async function inactiveIn(lines: readonly Unanswered[]): Promise<[string, Inactive | undefined][]> {
  const [first] = lines;
  if (!first) return [];
  const { websiteId, environment, rules = 'live' } = first;
  const urls = lines.map(({ url }) => url);
  const { results } = await testUrls({ website_id: websiteId, environment, against: rules, urls });
  return results.map(({ inactive }, at) => [
    keyOf({ environment, url: urls[at] ?? '' }),
    inactive ? inactiveOf(websiteId, inactive) : undefined,
  ]);
}

interface WhyProps {
  of: Unanswered;
  reasons: ReturnType<typeof useUnanswered>;
}

/** The schedule with its remedy, or the way to a new redirect. */
export function WhyUnanswered({ of, reasons }: WhyProps) {
  const inactive = reasons.of(of);
  if (inactive) return <ScheduledRedirect of={inactive} now="" onStarted={reasons.reload} onUndone={reasons.reload} />;
  if (inactive === undefined || !mayEdit.value || !of.url.startsWith('/')) return null;
  return (
    <LinkButton size="small" href={`/websites/${of.websiteId}/redirects?new=${encodeURIComponent(of.url)}`}>
      Create redirect
      <span class="unseen"> for {of.url}</span>
    </LinkButton>
  );
}

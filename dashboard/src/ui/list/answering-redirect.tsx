import { testUrl } from '../../api/redirects.ts';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { go } from '../../router.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { redirectUrl } from '../../urls.ts';

/** The rules in which URLs were tested: the tester opens with them. */
export interface TestedRules {
  websiteId: number;
  environment: Environment;
  /** the current redirects instead of the live ones */
  rules?: 'draft' | undefined;
}

export function testerUrl({ websiteId, environment, rules }: TestedRules, url: string): string {
  const query = new URLSearchParams({ url, environment, ...(rules && { rules }) });
  return `/websites/${websiteId}/tester?${query.toString()}`;
}

/** Opens the redirect that answers a URL, which may be a pattern; in a new tab the tester, which names it. */
export function AnsweringRedirect({ tested, url }: { tested: TestedRules; url: string }) {
  async function open(): Promise<void> {
    const { websiteId: website_id, environment, rules: against = 'live' } = tested;
    const { match } = await testUrl({ website_id, environment, against, url });
    if (match) go(redirectUrl(website_id, match.redirect_id));
    else toast(`No redirect answers ${url} now`);
  }
  return (
    <a
      class="small"
      href={testerUrl(tested, url)}
      aria-label={`Redirect of ${url}`}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open().catch((thrown: unknown) => toastError(thrown, 'Could not find the redirect'));
      }}
    >
      Redirect
    </a>
  );
}

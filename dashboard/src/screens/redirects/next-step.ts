/** What is left to do, once a redirect is made, until one sees it work. */
import { isEnvironment } from '../../../../src/vocabulary/environment.ts';
import type { Redirect, Website } from '../../api/wire.ts';
import { liveUrl } from '../../live-url.ts';
import type { Toast } from '../../state/toasts.ts';

/** Deploying it, a host for it, or a look at it; nothing for a draft, and no look at a pattern, which is no path. */
export function nextStep(website: Website, redirect: Redirect): Toast['link'] {
  const [environment] = redirect.target_environments.split(',').filter(isEnvironment);
  if (!environment) return undefined;
  const base = `/websites/${website.id}`;
  if (!website.auto_deploy || website.held_environments.includes(environment))
    return { label: 'Deploy', href: `${base}/deployments?environment=${environment}` };
  const address = liveUrl(website, environment, redirect.old_path);
  if (address === undefined) return { label: 'Add a host', href: `${base}/settings` };
  return redirect.is_regex ? undefined : { label: 'Visit', href: address };
}

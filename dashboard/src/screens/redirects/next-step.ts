import type { Redirect, Website } from '../../api/client/wire.ts';
import { liveUrl, reviewUrl } from '../../urls.ts';
import type { Toast } from '../../state/toasts.ts';
import { environmentsOf } from './view.ts';

/**
 * The link of the toast after a new redirect: deploy it, add or verify a host, or visit it. Drafts have none, and patterns no
 * visit.
 */
export function nextStep(website: Website, redirect: Redirect): Toast['link'] {
  const [environment] = environmentsOf(redirect);
  if (!environment) return undefined;
  const base = `/websites/${website.id}`;
  if (!website.auto_deploy || website.held_environments.includes(environment))
    return { label: 'Deploy', href: reviewUrl(website.id, environment, { action: 'deploy' }) };
  const url = liveUrl(website, environment, redirect.old_path);
  if (url === undefined) {
    const hasHost = website.hosts.some((host) => host.environment === environment);
    return { label: hasHost ? 'Verify the host' : 'Add a host', href: `${base}/settings` };
  }
  return redirect.is_regex ? undefined : { label: 'Visit', href: url };
}

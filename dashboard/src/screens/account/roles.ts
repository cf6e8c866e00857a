import type { Role, WebsiteRoles } from '../../../../src/vocabulary/actor.ts';

export const ROLE_DESCRIPTIONS: Record<Role, string> = {
  owner: 'Full access, including users, API keys, webhooks and deleting websites.',
  editor: 'Can edit redirects, import, deploy and change website settings.',
  viewer: 'Read-only access.',
};

export const ROLE_LABEL: Record<Role, string> = { owner: 'Owner', editor: 'Editor', viewer: 'Viewer' };

/** The number of websites that a user reaches. */
export function websitesText(roles: WebsiteRoles | null): string {
  if (!roles) return 'All websites';
  const { length: count } = Object.keys(roles);
  return count === 0 ? 'No website' : count === 1 ? '1 website' : `${count} websites`;
}

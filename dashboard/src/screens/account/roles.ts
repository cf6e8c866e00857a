import type { Role } from '../../../../src/vocabulary/actor.ts';

export const ROLE_DESCRIPTIONS: Record<Role, string> = {
  owner: 'Full access, including users, API keys, webhooks and deleting websites.',
  editor: 'Can edit redirects, import, deploy and change website settings.',
  viewer: 'Read-only access.',
};

export const ROLE_LABEL: Record<Role, string> = { owner: 'Owner', editor: 'Editor', viewer: 'Viewer' };

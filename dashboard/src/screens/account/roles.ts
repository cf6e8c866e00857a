import type { Role } from '../../../../src/vocabulary/actor.ts';

/** What each role may, for whoever gives it. */
export const ROLE_WORDS: Record<Role, string> = {
  owner: 'Everything: also users, API keys, webhooks and deleting websites.',
  editor: 'Redirects, imports, deployments and the settings of websites.',
  viewer: 'Looks at everything and changes nothing.',
};

export const ROLE_LABEL: Record<Role, string> = { owner: 'Owner', editor: 'Editor', viewer: 'Viewer' };

export const ROLE_TONE: Record<Role, string> = { owner: 'violet', editor: 'ok', viewer: '' };

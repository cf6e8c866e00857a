/** An entry of the activity in responses. */
import type { ActivityEntry } from '../../redirects/changes/website-activity.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { changeBody } from './change-wire.ts';
import { deploymentBody } from './deployments/deployment-wire.ts';

export function entryBody(viewer: Actor, entry: ActivityEntry) {
  const common = { type: entry.type, createdAt: entry.at, change: null, deployment: null, settings: null };
  if (entry.type === 'change') {
    const { actor, websiteId } = entry.change;
    return { ...common, actor, websiteId, change: changeBody(entry.change) };
  }
  if (entry.type === 'settings') {
    const { actor, websiteId } = entry.settings;
    return { ...common, actor, websiteId, settings: entry.settings };
  }
  const deployment = deploymentBody(viewer, entry.deployment);
  return { ...common, actor: deployment.actor, websiteId: deployment.websiteId, deployment };
}

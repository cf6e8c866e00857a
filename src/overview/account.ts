/** Items of the account itself: API keys that end, webhooks and notices that fail, quotas. */
import { endingKeys } from '../accounts/api-key.ts';
import { failingNotices } from '../notices/notice.ts';
import { readQuotas } from '../notices/watch/quotas.ts';
import { failingWebhooks } from '../webhooks/receivers/webhook.ts';
import { itemOf, type OverviewItem, type OverviewScope } from './item.ts';

/** Quotas are for actors that reach all websites, keys, webhooks and notices for owners, who manage them. */
export async function accountItems({ db, actor, now }: Omit<OverviewScope, 'ids'>): Promise<OverviewItem[]> {
  if (actor.websiteIds !== undefined) return [];
  const quotas = (await readQuotas(db, actor)).filter(({ isNear }) => isNear);
  const items = quotas.map(({ quota, used }) => itemOf({ kind: 'quota.near', count: used, subject: quota }));
  if (actor.role !== 'owner') return items;
  for (const { id, name, failingSince, deactivatedAt } of await failingWebhooks(db, actor)) {
    const since = failingSince ?? deactivatedAt;
    items.push(itemOf({ kind: 'webhook.failing', count: 1, subject: name, subjectId: id, since }));
  }
  for (const { id, name, failingSince: since } of await failingNotices(db, actor)) {
    items.push(itemOf({ kind: 'notice.failing', count: 1, subject: name, subjectId: id, since }));
  }
  const keys = await endingKeys(db, [actor.accountId], now);
  const [next] = keys;
  if (next) {
    const { name, id, expiresAt } = next;
    items.push(itemOf({ kind: 'key.ends_soon', count: keys.length, subject: name, subjectId: id, since: expiresAt }));
  }
  return items;
}

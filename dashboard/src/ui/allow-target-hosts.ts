import { getWebsite, updateWebsite } from '../api/websites.ts';
import { upsertWebsite } from '../state/websites.ts';

/** Adds hosts to those that targets of a website may have. */
export async function allowTargetHosts(websiteId: number, hosts: readonly string[]): Promise<void> {
  const { allowed_target_hosts: allowed } = (await getWebsite(websiteId)).website;
  const body = { allowed_target_hosts: [...new Set([...allowed, ...hosts])] };
  upsertWebsite((await updateWebsite(websiteId, body)).website);
}

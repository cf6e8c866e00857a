import type { Queryable } from '../../db/connection/client.ts';
import { needsOwnHost, withoutOwnHost } from '../../rules/own-target.ts';
import { readHosts, targetHostsOf, type WebsiteRow } from '../../websites/website.ts';

/** Returns the fields with a target on an own host as its path. Reads the hosts only for a target that needs one. */
export async function withOwnTarget<Fields extends { newPath?: string | null | undefined }>(
  db: Queryable,
  website: Pick<WebsiteRow, 'id' | 'allowedTargetHosts'>,
  fields: Fields,
  oldPath: string,
): Promise<Fields> {
  const { newPath } = fields;
  if (newPath == null || !needsOwnHost(newPath, website.allowedTargetHosts)) return fields;
  const hosts = targetHostsOf({ ...website, hosts: await readHosts(db, website) });
  return { ...fields, newPath: withoutOwnHost(newPath, oldPath, hosts) };
}

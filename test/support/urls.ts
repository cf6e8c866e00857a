/** Stores URLs of a website as a push leaves them. */
import type { Db } from '../../src/db/connection/client.ts';
import type { UrlState } from '../../src/vocabulary/urls.ts';

export interface StoredUrl {
  url: string;
  state: UrlState;
  clicks?: number;
  links?: number;
}

/** Replaces the URLs of a website: those of one environment, with one list. Other environments know them only. */
export async function storeUrls(
  db: Pick<Db, '$client'>,
  websiteId: number,
  urls: StoredUrl[],
  environment = 'production',
): Promise<void> {
  const { rows } = await db.$client.query(
    `insert into url_lists (website_id, environment, name, version) values ($1, $2, 'main', 1)
     on conflict (website_id, environment, name) do update set name = 'main' returning id`,
    [websiteId, environment],
  );
  // The service adds no URLs of rules to it, so that counts stay as they are.
  await db.$client.query(
    `insert into url_counts (website_id, rules_rev) values ($1, 2147483647)
     on conflict (website_id) do update set rules_rev = excluded.rules_rev`,
    [websiteId],
  );
  await db.$client.query(
    `insert into urls (website_id, url, lists, sources, clicks, links, removed_${environment})
     select $1, url, case when state = 'living' then array[$3::int] else '{}' end, 1, clicks, links,
       case when state = 'removed' then now() end
     from jsonb_to_recordset($2) as u(url text, state text, clicks bigint, links bigint)
     on conflict (website_id, url) do update set lists = excluded.lists, removed_${environment} = excluded.removed_${environment},
       clicks = excluded.clicks, links = excluded.links`,
    [websiteId, JSON.stringify(urls), rows[0].id],
  );
}

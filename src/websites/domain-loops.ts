/** Domain redirects that return to their own host. A visitor would be redirected in a circle. */
import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { type HostTable, hostTableOf, isWildcard, wildcardsAbove } from '../resolver/host-table.ts';
import { parseLocation } from '../resolver/location.ts';
import type { DomainRedirect } from '../resolver/own-hosts.ts';
import { validationError } from '../vocabulary/error.ts';
import type { CheckedHost } from './check-hosts.ts';
import { redirectToSql } from './website.ts';

/** Hosts of a chain that are followed: each step is a query for all chains together. */
const MAX_STEPS = 20;
/** Loops of one error. */
const MAX_ISSUES = 10;

interface Entry {
  hostname: string;
  redirectTo: DomainRedirect | null;
}

/**
 * Throws VALIDATION_ERROR if the domain redirect of one of `hosts` leads back to its own host, over hosts of any website.
 * `hosts` is the whole list of the website, unless the website keeps its others.
 */
export async function assertNoDomainLoop(
  db: Queryable,
  websiteId: number,
  hosts: readonly CheckedHost[],
  { keepsOthers = false } = {},
): Promise<void> {
  const table = hostTableOf<Entry>(hosts);
  const chains = hosts.flatMap((host, index) =>
    host.redirectTo ? [{ host, index, at: hostOf(host.redirectTo), path: [host.hostname] }] : [],
  );
  const loops: typeof chains = [];
  let open = chains;
  for (let step = 0; open.length > 0 && step < MAX_STEPS; step++) {
    await addStored(db, keepsOthers ? websiteId : null, websiteId, table, new Set(open.map(({ at }) => at)));
    open = open.flatMap((chain) => {
      const entry = table.find(chain.at);
      const path = [...chain.path, chain.at];
      if (entry === chain.host) loops.push({ ...chain, path });
      return entry?.redirectTo && entry !== chain.host ? [{ ...chain, at: hostOf(entry.redirectTo), path }] : [];
    });
  }
  if (loops.length === 0) return;
  throw validationError(
    loops.slice(0, MAX_ISSUES).map(({ host, index, path }) => ({
      path: `hosts[${index}].redirect_to.url`,
      code: 'REDIRECT_LOOP',
      message: `the host would redirect to itself: ${path.join(' -> ')}${remedyOf(host, path)}`,
    })),
  );
}

function remedyOf({ hostname }: CheckedHost, path: string[]): string {
  const target = path.at(-1) ?? '';
  if (!isWildcard(hostname)) return '; choose another target';
  return `, which is below ${hostname}; choose another target, or add ${target} as a host without redirect_to`;
}

const hostOf = ({ url }: DomainRedirect): string => parseLocation(url).host ?? '';

/** Adds the stored hosts that decide about these names: verified ones of other websites, and those of `kept`. */
async function addStored(
  db: Queryable,
  kept: number | null,
  websiteId: number,
  table: HostTable<Entry>,
  names: ReadonlySet<string>,
): Promise<void> {
  const wanted = new Set([...names].flatMap((name) => [name, ...wildcardsAbove(name)]));
  const unknown = [...wanted].filter((name) => name.length <= 253 && !table.get(name));
  if (unknown.length === 0) return;
  const rows = await queryRows<Entry>(db, { isConstant: true })`
    select h.hostname, ${redirectToSql} as redirect_to from website_hosts h
    where h.hostname = any(${sql.param(unknown)}::text[])
      and (h.website_id = ${kept}::int or h.verified and h.website_id <> ${websiteId}) order by h.website_id = ${kept}::int`;
  for (const row of rows) table.set(row.hostname, row);
}

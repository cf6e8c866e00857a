import type { Db } from '../../db/connection/client.ts';
import { chooseRules, requireVersion, type VersionChoice } from '../../deployments/publish/versions/version-choice.ts';
import { VERSION } from '../../platform/version.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { wrongParameter } from '../../vocabulary/error.ts';
import { requireWebsite, type Website } from '../../websites/website.ts';
import { assertFilterInPlan } from '../list/filter.ts';
import type { ExportInput } from './export-redirects.ts';
import { isServerFormat } from '../../formats/write/export-formats.ts';

/** An export as a client requests it. */
export type ExportRequest = Omit<ExportInput, 'version'> & { version: VersionChoice | undefined };

/**
 * Completes a request, and returns it with a text that changes whenever the content of the file does; ids and times of
 * the export itself are no content. A server's configuration is by default of what is live in production, so that a
 * scheduled download never publishes drafts; the other formats are of the current redirects. Reads no rule. Throws
 * WEBSITE_NOT_FOUND, VERSION_NOT_FOUND, VERSION_EXPIRED, PLAN_REQUIRED, and INVALID_PARAMETER for an environment of a
 * format that has the redirects of all, and for a filter that the export cannot apply.
 */
export async function chooseExport(db: Db, actor: Actor, request: ExportRequest, now: Date) {
  const { websiteId, format, version: choice = isServerFormat(format) ? 'live' : 'draft' } = request;
  assertFilterInPlan(actor, request.filter);
  if (choice !== 'draft' || isServerFormat(format)) assertGroupOnly(request.filters);
  if (request.environment !== undefined && choice === 'draft' && !isServerFormat(format)) {
    const remedy = 'omit the parameter, name a version, or use the format of a server';
    throw wrongParameter('environment', `${format} contains the current redirects of all environments; ${remedy}`);
  }
  const website = await requireWebsite(db, actor, websiteId);
  const { environment = 'production' } = request;
  const { version } =
    choice === 'draft' ? { version: choice } : await chooseRules(db, { websiteId, environment }, choice);
  const isOfEnvironment = version !== 'draft' || isServerFormat(format);
  const input: ExportInput = { ...request, version, environment: isOfEnvironment ? environment : undefined };
  return { input, state: await stateOf(db, input, website, now) };
}

/** Other filters read columns that only the current redirects have. */
function assertGroupOnly(filters: Record<string, unknown>): void {
  const other = Object.keys(filters).find((name) => name !== 'group_id');
  if (other === undefined) return;
  throw wrongParameter(
    other,
    'selects from the current redirects; omit it, or use version=draft with the format json, csv or ndjson',
  );
}

async function stateOf(db: Db, input: ExportInput, website: Website, now: Date): Promise<string> {
  const { name, caseSensitive, trailingSlash, query, hosts } = website;
  const names = hosts.map((host) => `${host.hostname} ${host.environment} ${host.redirectTo !== null}`);
  const revisions = await revisionsOf(db, input, website);
  // Hits, checks and the time change these selections without a new revision.
  const { lastHitBefore, lastHitSince, schedule, scheduleBefore, targetState, not } = input.filter;
  const varying = lastHitBefore ?? lastHitSince ?? schedule ?? scheduleBefore ?? targetState ?? not;
  const time = varying === undefined ? null : now;
  return JSON.stringify([VERSION, input, name, caseSensitive, trailingSlash, query, names, revisions, time]);
}

/** The revisions that the file shows, with their histories; the file of a version never changes. */
async function revisionsOf(db: Db, input: ExportInput, { headRev, history }: Website) {
  const { websiteId, environment = 'production', format, version } = input;
  const historyOf = async (of: number, place = environment): Promise<string | undefined> =>
    of === 0 ? undefined : (await requireVersion(db, websiteId, place, { version: of })).history;
  if (version !== 'draft') return [await historyOf(version)];
  if (isServerFormat(format)) return [headRev, history?.[0]];
  // deployed_to_prod of the current redirects follows from the live version.
  const live = Number((await chooseRules(db, { websiteId, environment: 'production' }, 'live')).version);
  return [headRev, history?.[0], live, await historyOf(live, 'production')];
}

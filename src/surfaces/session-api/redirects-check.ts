import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyId, bodyObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import {
  type CheckedDraft,
  checkChangedDraft,
  checkNewDraft,
  NEW_RULE,
} from '../../redirects/check-draft.ts';
import { issuesOf } from '../../redirects/issues-of.ts';
import { answersNow, ownRequest, tryRule } from '../../redirects/try-draft.ts';
import type { MatchRequest } from '../../resolver/rule.ts';
import type { LiveSite, Rulesets } from '../../versions/rulesets.ts';
import { requestOf } from '../../versions/test-address.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type Issue, invalid } from '../../vocabulary/error.ts';
import { resolveWebsiteId } from '../../websites/website.ts';
import { CheckedRedirect, ruleBody, trialBody } from './redirect-check-wire.ts';
import {
  READ_ONLY,
  redirectBody,
  redirectChange,
  redirectFields,
  redirectFieldsOf,
} from './redirect-wire.ts';
import { requireLive } from './redirects-test.ts';

/** Addresses of a loop that are shown. */
const SHOWN_PATHS = 20;

const { old_path, ...others } = redirectFields;
const Body = bodyObject(
  {
    old_path,
    ...z.object(others).partial().shape,
    website_id: bodyId.optional(),
    id: z.int().min(1).optional(),
    try_path: z.string().max(8_192).optional(),
  },
  { readOnly: READ_ONLY.filter((field) => field !== 'id') },
);
type Body = z.output<typeof Body>;

/** POST /api/redirects/check: what a creation or change would say, and where the redirect would lead, before it is written. */
export function checkRoutes(app: Api, { db, rulesets }: SurfaceDeps): void {
  app.post(
    '/redirects/check',
    { config: { role: 'viewer' }, schema: { body: Body, response: { 200: CheckedRedirect } } },
    async ({ actor, body }) => {
      const checked = await checkBody({ db }, actor, body);
      const live = await requireLive(rulesets, checked.websiteId, checked.environments[0] ?? 'production');
      const tried = await triedRequest(live, checked, body.try_path);
      return {
        canonical_old_path: checked.key,
        issues: [...checked.issues, ...tried.issues],
        taken_by: checked.takenBy && redirectBody(checked.takenBy),
        ...outlook(rulesets, live, checked, tried.request),
      };
    },
  );
}

async function checkBody({ db }: Pick<SurfaceDeps, 'db'>, actor: Actor, body: Body): Promise<CheckedDraft> {
  const { id, website_id, try_path: _, ...fields } = body;
  if (id === undefined) {
    const websiteId = await resolveWebsiteId(db, actor, website_id);
    return checkNewDraft(db, actor, websiteId, redirectFieldsOf(fields));
  }
  const checked = await checkChangedDraft(db, actor, id, redirectChange(fields));
  if (website_id === undefined || website_id === checked.websiteId) return checked;
  throw invalid('website_id', `redirect ${id} is in another website`);
}

/** The address that it is tried on: the one that is asked for, else its own path; a pattern has none. */
async function triedRequest(
  live: LiveSite,
  checked: CheckedDraft,
  tryPath: string | undefined,
): Promise<{ request: MatchRequest | undefined; issues: Issue[] }> {
  if (tryPath === undefined) return { request: ownRequest(checked), issues: [] };
  let request: MatchRequest | undefined;
  const issues = await issuesOf(() => void (request = requestOf(live, tryPath, 'try_path')));
  return { request, issues };
}

/** What visitors of the address get now, and what with the redirect in each of its environments, the first of them in full. */
function outlook(
  rulesets: Rulesets,
  live: LiveSite,
  { rule, before, environments, websiteId }: CheckedDraft,
  request: MatchRequest | undefined,
): Pick<z.input<typeof CheckedRedirect>, 'now' | 'trial' | 'loops'> {
  if (!request) return { now: null, trial: null, loops: [] };
  const now = answersNow(live, request, before?.id ?? NEW_RULE);
  const trial = rule && tryRule(live, rule, before, request);
  const loops = environments.flatMap((environment, index) => {
    const there = index === 0 ? live : rulesets.live(websiteId, environment);
    const loop = rule && there && (there === live ? trial : tryRule(there, rule, before, request))?.loop;
    return loop ? [{ environment, paths: loop.slice(0, SHOWN_PATHS) }] : [];
  });
  return { now: now && ruleBody(now), trial: trial && trialBody(live, request, trial), loops };
}

import { z } from 'zod';
import type { SurfaceDeps } from '../../http/deps.ts';
import { bodyId, bodyObject } from '../../http/fields.ts';
import type { Api } from '../../http/zod.ts';
import {
  type CheckedDraft,
  checkChangedDraft,
  checkNewDraft,
  NEW_RULE,
  collectIssues,
} from '../../redirects/draft/check-draft.ts';
import {
  answersNow,
  type DraftLoop,
  ownRequest,
  rehearse,
  sampleRequests,
} from '../../redirects/draft/try-draft.ts';
import type { MatchRequest } from '../../resolver/rule.ts';
import type { LiveSite, Rulesets } from '../../deployments/live/rulesets.ts';
import { requestOf } from '../../deployments/live/test-url.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type Issue, invalid } from '../../vocabulary/error.ts';
import { resolveWebsiteId } from '../../websites/website.ts';
import { CheckedRedirect, loopBodies, ruleBody, trialBody } from './redirect-check-wire.ts';
import {
  READ_ONLY,
  redirectBody,
  redirectChange,
  redirectFields,
  redirectFieldsOf,
} from './redirect-wire.ts';
import { requireLive } from './redirects-test.ts';

/** After so long no further address is followed in search of loops: patterns may be slow, and others wait. */
const ENOUGH_MS = 8;

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
  const issues = await collectIssues(() => void (request = requestOf(live, tryPath, 'try_path')));
  return { request, issues };
}

/** What visitors of the address get now, and what with the redirect: in its first environment in full, in each of them the loop. */
function outlook(
  rulesets: Rulesets,
  live: LiveSite,
  { rule, before, environments, websiteId }: CheckedDraft,
  request: MatchRequest | undefined,
): Pick<z.input<typeof CheckedRedirect>, 'now' | 'trial' | 'loops'> {
  const match = request && answersNow(live, request, before?.id ?? NEW_RULE);
  const now = match ? ruleBody(match) : null;
  if (!rule) return { now, trial: null, loops: [] };
  const began = performance.now();
  const rehearsal = rehearse(live, rule, before);
  const trial = request && rehearsal(request);
  const samples = request ? [request, ...sampleRequests(rule)] : sampleRequests(rule);
  const loops = environments.flatMap((environment, index) => {
    if (index === 0) return loopBodies(environment, trial?.loop ?? firstLoop(rehearsal, samples, began));
    const there = rulesets.live(websiteId, environment);
    // Each has its own time, so that a busy moment never leaves one out.
    if (!there) return [];
    return loopBodies(environment, firstLoop(rehearse(there, rule, before), samples, performance.now()));
  });
  return { now, trial: trial && request ? trialBody(live, request, trial) : null, loops };
}

function firstLoop(
  rehearsal: ReturnType<typeof rehearse>,
  samples: MatchRequest[],
  began: number,
): DraftLoop | null {
  for (const sample of samples) {
    const { loop } = rehearsal(sample);
    if (loop || performance.now() - began > ENOUGH_MS) return loop;
  }
  return null;
}

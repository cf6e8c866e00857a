import { z } from 'zod';
import type { LiveSite } from '../../../deployments/live/live-registry.ts';
import { ownHosts } from '../../../deployments/live/site-registry.ts';
import { requestOf, respondsByRules } from '../../../deployments/live/test-url.ts';
import type { SurfaceDeps } from '../../../http/deps.ts';
import { bodyObject } from '../../../http/wire/fields.ts';
import type { Camel } from '../../../http/wire/wire-names.ts';
import type { Api } from '../../../http/wire/zod.ts';
import {
  type CheckedDraft,
  checkChangedDraft,
  checkNewDraft,
  collectIssues,
  NEW_RULE,
} from '../../../redirects/draft/check-draft.ts';
import { answersNow, type DraftLoop, ownRequest, rehearse } from '../../../redirects/draft/try-draft.ts';
import { sampleRequests } from '../../../resolver/growing-loop.ts';
import type { MatchRequest } from '../../../resolver/rule.ts';
import { readPageStates } from '../../../urls/page-state.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { invalid, type Issue } from '../../../vocabulary/error.ts';
import { resolveWebsiteId } from '../../../websites/website.ts';
import type { Dialect } from '../dialect.ts';
import { checkedSchema, loopBodies, trialBody } from './check-wire.ts';
import { matchBody } from './tested-url.ts';
import { requireLive } from './test.ts';
import { newRedirect, READ_ONLY, redirectBody, redirectChange, redirectFields } from './wire.ts';

function bodySchema(dialect: Dialect) {
  const { old_path, ...others } = redirectFields(dialect);
  return bodyObject(
    {
      old_path,
      ...z.object(others).partial().shape,
      website_id: dialect.websiteId.body
        .optional()
        .describe('The id of the website. Required unless `id` is sent or the account has exactly one website.'),
      id: dialect.redirectId.body
        .optional()
        .describe('The id of the redirect to change; without it, the request checks a new one.'),
      try_path: z
        .string()
        .max(8_192)
        .optional()
        .describe(
          'The URL for the trial: a path, or a URL on one of the hosts of the website; at most 8,192 characters. Default: the path of the redirect itself; a pattern has none.',
        ),
    },
    { readOnly: READ_ONLY.filter((field) => field !== 'id') },
  );
}

/** POST /redirects/check: the issues of a creation or change, and where visitors would end up, before it is written. */
export function checkRoute(app: Api, deps: SurfaceDeps, dialect: Dialect): void {
  const { db, rulesets, clock } = deps;
  app.post('/redirects/check', {
    config: { role: 'viewer', reads: true },
    ...dialect.operation('checkRedirect', 'redirects'),
    summary: 'Check a redirect before writing it',
    description:
      'Reports what a creation would reject, or with `id` a change of that redirect, where omitted fields keep their value. Also reports where visitors would be redirected if it were live. Stores nothing. Intended for validation while a user types.',
    returns: 'The problems of the redirect, and its effect.',
    errors: ['WEBSITE_NOT_FOUND', 'REDIRECT_NOT_FOUND', 'VALIDATION_ERROR'],
    example: {
      body: {
        website_id: dialect.writeId(1),
        old_path: '/docs/v(\\d+)/(.*)',
        new_path: '/manual/$2?version=$1',
        is_regex: true,
        try_path: '/docs/v2/install',
      },
    },
    body: bodySchema(dialect),
    response: { 200: checkedSchema(dialect) },
    async handler({ actor, body }) {
      const checked = await checkBody(deps, actor, body, dialect);
      const live = await requireLive(rulesets, checked.websiteId, checked.environments[0] ?? 'production');
      const tried = await readTrialRequest(live, checked, body.tryPath);
      return {
        canonicalOldPath: checked.key,
        issues: [...checked.issues, ...tried.issues],
        takenBy: checked.takenBy && redirectBody(checked.takenBy),
        ...(await tryDraft({ db, rulesets, live, now: clock.now() }, checked, tried.request)),
      };
    },
  });
}

async function checkBody(
  { db }: SurfaceDeps,
  actor: Actor,
  body: Camel<z.output<ReturnType<typeof bodySchema>>>,
  dialect: Dialect,
): Promise<CheckedDraft> {
  const { id: wireId, websiteId: website, tryPath: _, ...fields } = body;
  const websiteId = website === undefined ? undefined : dialect.websiteId.read(website);
  if (wireId === undefined) {
    return checkNewDraft(db, actor, await resolveWebsiteId(db, actor, websiteId), newRedirect(fields));
  }
  const id = dialect.redirectId.read(wireId);
  const checked = await checkChangedDraft(db, actor, id, redirectChange(fields));
  if (websiteId === undefined || websiteId === checked.websiteId) return checked;
  throw invalid('website_id', `redirect ${id} is in another website`);
}

/** The URL to try: `try_path`, else the redirect's own path; a pattern has none. */
async function readTrialRequest(
  live: LiveSite,
  checked: CheckedDraft,
  tryPath: string | undefined,
): Promise<{ request: MatchRequest | undefined; issues: Issue[] }> {
  if (tryPath === undefined) return { request: ownRequest(checked), issues: [] };
  let request: MatchRequest | undefined;
  const hosts = ownHosts(live.site, live.environment);
  const issues = await collectIssues(() => {
    request = requestOf({ hosts, environment: live.environment }, tryPath, 'try_path');
    if (respondsByRules(request, hosts)) return;
    throw invalid('try_path', `${request.host} redirects as a whole: its requests reach no redirect`);
  });
  if (issues.length > 0) request = undefined;
  return { request, issues };
}

/** The response to `request` now and with the redirect, in its first environment; loops in each environment. */
async function tryDraft(
  { db, rulesets, live, now: time }: Pick<SurfaceDeps, 'db' | 'rulesets'> & { live: LiveSite; now: Date },
  { rule, before, environments, websiteId }: CheckedDraft,
  request: MatchRequest | undefined,
) {
  const match = request && answersNow(live, request, before?.id ?? NEW_RULE, time);
  const now = match ? matchBody(match) : null;
  if (!rule) return { now, trial: null, loops: [] };
  const rehearsal = rehearse({ live, now: time }, rule, before);
  const trial = request && (await rehearsal(request));
  const samples = request ? [request, ...sampleRequests(rule)] : sampleRequests(rule);
  const loops: ReturnType<typeof loopBodies> = [];
  for (const [index, environment] of environments.entries()) {
    const other = index === 0 ? live : rulesets.live(websiteId, environment);
    if (!other) continue;
    const own = index === 0 ? rehearsal : rehearse({ live: other, now: time }, rule, before);
    loops.push(...loopBodies(environment, (index === 0 && trial?.loop) || (await firstLoop(own, samples))));
  }
  const followed = trial?.result === 'fired' && trial.followed.outcome === 'end' ? trial.followed : undefined;
  const place = { websiteId, environment: live.environment };
  const [finalPage = null] = followed ? await readPageStates(db, place, [followed.finalUrl]) : [];
  return { now, trial: trial && request ? trialBody(live, request, trial, finalPage) : null, loops };
}

async function firstLoop(rehearsal: ReturnType<typeof rehearse>, samples: MatchRequest[]): Promise<DraftLoop | null> {
  for (const sample of samples) {
    const { loop } = await rehearsal(sample);
    if (loop) return loop;
  }
  return null;
}

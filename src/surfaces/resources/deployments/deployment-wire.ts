/** A deployment in requests and responses. */
import { z } from 'zod';
import { changesOf, type Deployment, shownRequester, sourceOf } from '../../../deployments/publish/deployment.ts';
import type { MaxRemovals } from '../../../deployments/publish/max-removals.ts';
import {
  actorField,
  checkedText,
  EnvironmentName,
  Timestamp,
  component,
  listOf,
  part,
} from '../../../http/wire/fields.ts';
import { noteIssue, trimmedOrNull } from '../../../rules/check-fields.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import type { Dialect, Wire } from '../dialect.ts';

/** The numbers of a difference between two versions. */
export const changeCounts = {
  added: z.int().describe('The number of added rules.'),
  changed: z.int().describe('The number of changed rules.'),
  removed: z.int().describe('The number of removed rules.'),
};

/** A problem of a version. */
export const warningFields = {
  code: z.string().describe('The problem, such as `REDIRECT_LOOP`.'),
  old_paths: z.array(z.string()).describe('The paths concerned.'),
  growing: z
    .boolean()
    .optional()
    .describe('Present and true for a loop in which each address is longer than the previous one.'),
  scheduled: z
    .boolean()
    .optional()
    .describe('Present and true for a loop with a redirect that has a window. The search takes each as active.'),
};

export function deploymentSchema<W extends Wire>({ id, named }: Dialect<W>) {
  return component(named('Deployment'), {
    id: z.string().describe('The id, `dep_...`.'),
    website_id: id.describe('The id of the website.'),
    environment: EnvironmentName.describe('The environment.'),
    kind: z
      .enum(['automatic', 'explicit', 'rollback', 'promote'])
      .describe('The trigger: a change (`automatic`), a call (`explicit`), a rollback or a promotion.'),
    status: z
      .enum(['queued', 'running', 'completed', 'failed'])
      .describe('`queued`, `running`, then `completed` (live) or `failed`.'),
    source: part('The version whose rules a rollback or promotion publishes; otherwise null.', {
      environment: EnvironmentName.describe('The environment.'),
      version: z.int().describe('The version number, counted from 1 for each website and environment.'),
    }).nullable(),
    targeting: z
      .enum(['extend', 'keep'])
      .nullable()
      .describe('Of a promotion: whether it adds its environment to the redirects that it publishes; otherwise null.'),
    change_id: z
      .string()
      .nullable()
      .describe(
        'Of a promotion with `extend`: its change of the redirects; null until it is published, or if none changed.',
      ),
    version: z.int().nullable().describe('The version that it published; null until then.'),
    redirect_count: z.int().nullable().describe('The number of rules in the version; null until it is published.'),
    changes: part('The difference from the previous version; null until it is published.', changeCounts).nullable(),
    warnings: listOf(
      'Problems of the version: every loop (`REDIRECT_LOOP`; `MORE_LOOPS` after the first 1,000, `LOOP_SEARCH_CUT_SHORT` after a search of 60 s), living pages that a rule for exactly their URL newly hides (`URL_SHADOWED`; `MORE_URLS_SHADOWED` after the first 1,000; with `url_gate`), and excluded rules.',
      warningFields,
    ),
    note: z.string().nullable().describe('The note of its request; null without one.'),
    actor: actorField.describe('Who requested it. An automatic one publishes the changes of others as well.'),
    requested_by: actorField.describe('The same as `actor`.'),
    created_at: Timestamp.describe('When it was created.'),
    started_at: Timestamp.nullable().describe('When it started; null before.'),
    deployed_at: Timestamp.nullable().describe('When it went live; null before.'),
    error: z.string().nullable().describe('Why it failed; null unless it failed.'),
    forced: z.boolean().describe('Whether it was published without a check of the expectations and URLs.'),
  });
}

export function deploymentBody(viewer: Actor, deployment: Deployment) {
  const requester = shownRequester(viewer, deployment);
  return {
    ...deployment,
    source: sourceOf(deployment),
    changes: changesOf(deployment),
    warnings: deployment.warnings.map(({ old_paths: oldPaths, ...warning }) => ({ ...warning, oldPaths })),
    actor: requester,
    requestedBy: requester,
  };
}

const MAX_NOTE = 500;

/** The note of a deployment, stored without surrounding white space; null if empty. */
export const note = z
  .codec(
    checkedText(z.string(), (text) => noteIssue('note', text.trim(), MAX_NOTE)),
    z.string().nullable(),
    { decode: trimmedOrNull, encode: (text) => text ?? '' },
  )
  .meta({ maxLength: MAX_NOTE })
  .nullable()
  .optional()
  .describe(
    `Why it is deployed, at most ${MAX_NOTE} characters. A deployment with a note never joins one that is queued already.`,
  );

export const force = z
  .boolean()
  .optional()
  .describe('Publishes even if expectations of the environment are not met. The deployment records it. Default false.');

export const max_removals = z
  .codec(
    z.union([
      z.int().min(0),
      z.string().regex(/^(100|\d{1,2})(\.\d{1,6})?%$/, 'must be a count, or a percentage such as "10%"'),
    ]),
    z.custom<MaxRemovals>(),
    {
      decode: (value) => (typeof value === 'number' ? { count: value } : { percent: Number.parseFloat(value) }),
      encode: (max) => ('count' in max ? max.count : `${max.percent}%`),
    },
  )
  .optional()
  .describe(
    'The most live rules that the deployment may remove: a count, or a percentage of them such as `"10%"`. With more, nothing is queued.',
  );

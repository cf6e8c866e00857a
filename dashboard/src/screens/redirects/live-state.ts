/** The state of a redirect in each environment, and the rule that visitors get. */
import { ENVIRONMENTS, type Environment } from '../../../../src/vocabulary/environment.ts';
import type { Redirect, TestedUrl } from '../../api/client/wire.ts';
import { fullTime } from '../../format.ts';
import { scheduleOf } from '../../ui/text/schedule.ts';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { shownPath } from '../../ui/text/path-parts.ts';
import { windowText } from '../../ui/form/redirect-fields.ts';
import { environmentsOf } from './view.ts';

type LiveRule = NonNullable<NonNullable<Redirect['live']>[Environment]>;

/**
 * `waiting`: visitors get another state of the redirect until the next deployment. `scheduled`, `ended`: it is deployed,
 * and outside of its schedule.
 */
export type LiveState = 'live' | 'scheduled' | 'ended' | 'waiting' | 'none';

export interface LiveMark {
  environment: Environment;
  state: LiveState;
  /** whether visitors get the redirect, or a former state of it, now */
  isAnswering: boolean;
  /** the state in words */
  words: string;
  /** with the environment */
  title: string;
}

/** By environment, since when a state of the redirect is live; null if none is. */
export const liveSince = (redirect: Redirect) => ({
  production: redirect.deployed_to_prod,
  staging: redirect.deployed_to_staging,
  development: redirect.deployed_to_dev,
});

/**
 * The environments that a redirect has or is live in, at a time in ms. `held`: those without automatic deployments.
 */
export function liveMarks(redirect: Redirect, held: readonly Environment[], now: number): LiveMark[] {
  const targets = environmentsOf(redirect);
  return ENVIRONMENTS.flatMap((environment) => {
    const rule = redirect.live?.[environment];
    const isTarget = targets.includes(environment);
    if (!isTarget && !rule) return [];
    const [deployed, text] = isTarget ? targetState(redirect, environment) : strayState(held.includes(environment));
    const { phase, text: ends, title } = scheduleOf(rule ?? redirect, now);
    const isActive = phase === 'active';
    const isAnswering = isActive && deployed !== 'none';
    const state = deployed === 'live' && !isActive ? phase : deployed;
    const words = {
      ...{ scheduled: `not live yet, ${title}`, ended: `not live any more, ${title}`, waiting: text, none: text },
      live: ends === '' ? text : `${text}, ${ends}`,
    }[state];
    return [{ environment, state, isAnswering, words, title: `${ENVIRONMENT_LABEL[environment]}: ${words}` }];
  });
}

function targetState(redirect: Redirect, environment: Environment): [LiveState, string] {
  const since = liveSince(redirect)[environment];
  const rule = redirect.live?.[environment];
  if (rule) return ['waiting', `a change waits, live is ${ruleText(redirect, rule)}`];
  return since === null || rule === null ? ['none', 'not live yet'] : ['live', `live since ${fullTime(since)}`];
}

function strayState(isHeld: boolean): [LiveState, string] {
  if (isHeld) return ['live', 'live after a promotion or rollback, until the next deployment'];
  return ['waiting', 'still live, the next deployment removes it'];
}

/** The live rule to show beside an edit: of the first environment in which it differs. `title` names all. */
export function liveRuleOf(redirect: Redirect): { label: string; text: string; title: string } | undefined {
  const rules = ENVIRONMENTS.flatMap((environment) => {
    const rule = redirect.live?.[environment];
    if (!rule || isSame(redirect, rule)) return [];
    return [{ name: ENVIRONMENT_LABEL[environment], text: ruleText(redirect, rule) }];
  });
  const [first] = rules;
  if (!first) return undefined;
  const isProduction = first.name === ENVIRONMENT_LABEL.production;
  return {
    label: isProduction ? 'live' : `live in ${first.name.toLowerCase()}`,
    text: first.text,
    title: rules.map(({ name, text }) => `Live in ${name.toLowerCase()}: ${text}`).join('\n'),
  };
}

const RULE_FIELDS = ['old_path', 'new_path', 'status_code', 'is_regex', 'active_from', 'active_until'] as const;

const isSame = (redirect: Redirect, rule: LiveRule): boolean =>
  RULE_FIELDS.every((name) => rule[name] === redirect[name]);

/** `/target 301`, with the path if that has changed too. */
function ruleText(redirect: Redirect, rule: LiveRule): string {
  const path = rule.old_path === redirect.old_path ? '' : `${shownPath(rule.old_path).text} →`;
  const kind = rule.is_regex === redirect.is_regex ? '' : rule.is_regex ? '(pattern)' : '(no pattern)';
  const parts = [path, shownPath(rule.new_path ?? '').text, String(rule.status_code), kind, windowText(rule)];
  return parts.filter((part) => part !== '').join(' ');
}

const and = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** `Staging and development` */
export const namesOf = (environments: readonly Environment[]): string =>
  and.format(environments.map((each, at) => (at === 0 ? ENVIRONMENT_LABEL[each] : each)));

/** The states of environments in words: once if they are alike, otherwise with the names of those that are. */
export function stateWords(environments: readonly Environment[], marks: readonly LiveMark[]): string[] {
  const wordsOf = (each: Environment): string =>
    marks.find(({ environment }) => environment === each)?.words ?? 'not in this environment';
  const all = [...new Set(environments.map(wordsOf))];
  if (all.length === 1) return all;
  return all.map((words) => `${namesOf(environments.filter((each) => wordsOf(each) === words))}: ${words}`);
}

/** The windows on which the marks of a redirect depend. */
export const windowsOf = (redirect: Redirect) => [
  redirect,
  ...ENVIRONMENTS.flatMap((environment) => redirect.live?.[environment] ?? []),
];

type Compared = Pick<TestedUrl, 'status_code' | 'location' | 'outcome' | 'hops' | 'match' | 'inactive'>;

/** Answers in the order of ENVIRONMENTS, one for all environments whose visitors get the same. */
export function alike<Answer extends Compared>(
  answers: readonly Answer[],
): { environments: Environment[]; answer: Answer }[] {
  const keys = answers.map(({ status_code: status, location, outcome, hops, match, inactive }) =>
    JSON.stringify([status, location, outcome, hops, match?.redirect_id, inactive]),
  );
  return answers.flatMap((answer, at) => {
    const environments = ENVIRONMENTS.filter((_, other) => keys[other] === keys[at]);
    return keys.indexOf(keys[at] ?? '') === at ? [{ environments, answer }] : [];
  });
}

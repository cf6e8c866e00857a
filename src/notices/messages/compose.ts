/** The messages of the kinds of notices. */
import type { NoticeKind, SignalData, SignalPlace } from '../../vocabulary/notices.ts';
import { digestContent } from './compose-digest.ts';
import { type Content, urlOf } from './content.ts';
import type { Message, Text } from './message.ts';
import { counted, duration, text, utcMinute } from './words.ts';

interface Sending extends Pick<Message, 'notice' | 'more'> {
  /** the origin of the dashboard */
  publicUrl: string;
}

/** The message about something that happened at `place`. */
export function composeMessage<Kind extends NoticeKind>(
  kind: Kind,
  data: SignalData[Kind],
  place: SignalPlace,
  { publicUrl, notice, more }: Sending,
): Message {
  const { link, ...content } = CONTENTS[kind](data, place);
  return { ...content, link: { label: link.label, url: urlOf(publicUrl, place, link) }, notice, more };
}

/** The message of the test button. */
export function composeTest({ publicUrl, notice }: Omit<Sending, 'more'>): Message {
  return {
    title: ['This is a test'],
    lines: [text`The notice ${notice} works: its messages arrive here.`],
    link: { label: 'Open Detour', url: `${publicUrl}/websites` },
    notice,
    more: 0,
  };
}

const CONTENTS: { [Kind in NoticeKind]: (data: SignalData[Kind], place: SignalPlace) => Content } = {
  'deployment.failed': ({ website, environment, error }) => ({
    title: text`Deployment of ${website} to ${environment} failed`,
    lines: [text`Reason: ${error}`, ['Nothing has changed for visitors.']],
    link: { label: 'Open the deployments', screen: 'deployments' },
  }),
  'check.broken': ({ website, environment, path, target, problem }) => ({
    title: text`A target of ${website} is broken`,
    lines: [text`${path} redirects to ${target} in ${environment}.`, text`Problem: ${problem}`],
    link: { label: 'Open the health report', screen: 'health' },
  }),
  'urls.lost': ({ website, environment, lost, before, examples }) => ({
    title: text`${website} has ${[counted(lost, 'lost URL')]}`,
    lines: [
      text`In ${environment}, visitors of ${[counted(lost, 'former page')]} find neither a page nor a redirect. Before: ${before}.`,
      ...(examples.length > 0 ? [text`For example: ${listed(examples)}`] : []),
    ],
    link: { label: 'Show the lost URLs', screen: 'urls', query: { answered: 'lost' } },
  }),
  'loops.live': ({ website, environment, redirects, isAtLeast, path }) => ({
    title: text`Redirects of ${website} loop`,
    lines: [
      text`In ${environment}, ${[atLeast(isAtLeast), counted(redirects, 'redirect')]} lead back to themselves, such as ${path}.`,
      ['Visitors see an error of their browser.'],
    ],
    link: { label: 'Show the loops', screen: 'health', query: { show: 'loops' } },
  }),
  'expectations.failing': ({ website, environment, failing, isAtLeast, url }) => ({
    title: text`Expectations of ${website} fail`,
    lines: [text`In ${environment}, ${[atLeast(isAtLeast), counted(failing, 'expectation')]} failed, first ${url}.`],
    link: { label: 'Show the expectations', screen: 'expectations' },
  }),
  'not_found.burst': ({ website, environment, path, hits, median }, place) => ({
    title: path === null ? text`Many visitors of ${website} find no page` : text`Many visitors do not find ${path}`,
    lines: [
      text`${[counted(hits, 'request')]} by people within 60 minutes matched no redirect of ${website} in ${environment}.`,
      median === null ? ['How many are usual is not known yet.'] : text`Usual is ${median} an hour.`,
    ],
    link: {
      label: path === null ? 'Show the unmatched paths' : 'Show the path',
      screen: 'not-found',
      query: place.path === null ? { sort: '-last_seen_at' } : { q: place.path },
    },
  }),
  'redirect.ends_soon': ({ website, path, target, at }, place) => ({
    title: text`A redirect of ${website} ends soon`,
    lines: [
      target === null
        ? text`${path} is answered as gone until ${[utcMinute(at)]}.`
        : text`${path} redirects to ${target} until ${[utcMinute(at)]}.`,
      ['After that, the rule does not apply any more.'],
    ],
    link: { label: 'Show the redirect', screen: 'redirects', query: { q: place.path ?? path }, isOfAll: true },
  }),
  'key.ends_soon': ({ keyName, at }) => ({
    title: text`API key ${keyName} expires soon`,
    lines: [text`It expires at ${[utcMinute(at)]}.`, ['After that, requests with it are rejected.']],
    link: { label: 'Open the API keys', page: '/account/keys' },
  }),
  'agent.lagging': ({ website, environment, agent, behindSeconds, lastSeenAt }) => ({
    title: behindSeconds === null ? text`Agent ${agent} does not report` : text`Agent ${agent} lags behind`,
    lines: [
      behindSeconds === null
        ? text`It was last seen at ${[utcMinute(lastSeenAt)]}. It may serve an old version of ${website} in ${environment}.`
        : text`It has served an older version of ${website} in ${environment} for ${[duration(behindSeconds)]}.`,
    ],
    link: { label: 'Show the agents', screen: 'deployments' },
  }),
  'webhook.disabled': ({ webhook, webhookId, reason }) => ({
    title: text`Webhook ${webhook} is disabled`,
    lines: [
      reason === 'gone'
        ? ['Its receiver responded with 410 Gone.']
        : ['Its receiver has failed for 8 days without a success.'],
      ['Events are collected, and sent when you enable it again.'],
    ],
    link: { label: 'Open the webhook', page: `/webhooks/${encodeURIComponent(webhookId.toWellFormed())}` },
  }),
  'quota.near': ({ quota, used, limit }) => ({
    title: text`Your account is near its limit of ${quota}`,
    lines: [
      text`${used} of ${limit} ${quota} are in use (${Math.floor((used / limit) * 100)} %).`,
      ['Above the limit, new ones are rejected. What exists stays.'],
    ],
    link: { label: 'Open the account', page: '/account' },
  }),
  'digest.weekly': digestContent,
};

const atLeast = (isAtLeast: boolean): string => (isAtLeast ? 'at least ' : '');

const listed = (examples: readonly string[]): Text =>
  examples.flatMap((foreign, index) => (index === 0 ? [{ foreign }] : [', ', { foreign }]));

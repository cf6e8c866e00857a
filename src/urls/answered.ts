/** Adds to URLs what answers them. */
import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { readAccepted } from '../deployments/gate/urls/accepted.ts';
import { type Answer, answerOf, requestFor, type UrlSite } from '../deployments/gate/urls/answer-of.ts';
import { STATE_NUMBERS, statedUrls } from '../deployments/gate/urls/url-weight.ts';
import { visitedSite } from '../deployments/gate/run.ts';
import type { TestedSite } from '../deployments/live/test-url.ts';
import { createTimeSlice } from '../platform/scheduling/time-slice.ts';
import { firstHost } from '../resolver/own-hosts.ts';
import type { LossReason, UrlAnswer, UrlState } from '../vocabulary/urls.ts';

export interface Answered {
  answered: UrlAnswer;
  /** the rule that answers first; null if none does */
  redirectId: number | null;
  /** why it is lost, also of an accepted loss; null for other answers */
  reason: LossReason | null;
  /** of a dead end: the canonical URL at which its chain ends */
  endsAt: string | null;
}

/** Returns a function that classifies URLs with the live rules at a time, in the order given. */
export async function createClassifier(
  db: Queryable,
  { site, environment, rules }: TestedSite,
  pageParameters: readonly string[],
  at: Date,
): Promise<(urls: readonly { url: string; state: UrlState }[]) => Promise<Answered[]>> {
  const isAccepted = await readAccepted(db, site.id, at);
  const visited: UrlSite = {
    ...visitedSite(rules.ruleset, site, environment, at),
    host: firstHost(site.hosts, environment),
    pageParameters: new Set(pageParameters),
  };
  const slice = createTimeSlice();
  return async (urls) => {
    // The ends of chains are known only when the chains are followed.
    const ends = new Map<string, UrlState | undefined>();
    const isEnd = (url: string): undefined => void ends.set(url, undefined);
    const followed: Answer[] = [];
    for (const { url, state } of urls) {
      if (slice.isOver()) await slice.yield();
      followed.push(answerOf(visited, requestFor(visited, url), state, isEnd));
    }
    await readStates(db, { websiteId: site.id, environment }, ends);
    return urls.map(({ url, state }, index) => {
      const request = requestFor(visited, url);
      const first = followed[index];
      const {
        answer,
        reason = null,
        end = null,
      } = first?.answer === 'redirected'
        ? answerOf(visited, request, state, (end) => ends.get(end))
        : (first ?? { answer: 'none' });
      const answered = answer === 'lost' && isAccepted(url) ? 'accepted' : answer;
      const redirectId = visited.ruleset.match(request, visited.options)?.id ?? null;
      return { answered, redirectId, reason, endsAt: end };
    });
  };
}

async function readStates(
  db: Queryable,
  place: Parameters<typeof statedUrls>[0],
  states: Map<string, UrlState | undefined>,
): Promise<void> {
  if (states.size === 0) return;
  const rows = await queryRows<{ url: string; state: number }>(db)`
    select v.url, v.state from (${statedUrls(place)}) v
    where v.url = any(${sql.param([...states.keys()])}::text[])`;
  for (const { url, state } of rows) states.set(url, STATE_NUMBERS[state]);
}

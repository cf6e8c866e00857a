import { stopwatch } from '../../../platform/clock.ts';
import { createTimeSlice, type TimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { Ruleset } from '../../../resolver/ruleset.ts';
import { type LossReason, type ShadowKind, URL_ANSWERS, type UrlAnswer } from '../../../vocabulary/urls.ts';
import { type Answer, answerOf, requestFor, type UrlSite } from './answer-of.ts';
import { findDangling } from './dangling.ts';
import { firstUrls, type Rank, type RankedTexts } from './first-urls.ts';
import { isAnswered, lossTime, watchRules } from './loses-at.ts';
import type { SiteUrls } from './read-urls.ts';
import type { UrlSet } from './url-set.ts';

/** 1,000,000 URLs take about 4 s. Those that reach the most expensive patterns would take hours. */
export const MAX_CHECK_MS = 60_000;

export interface UrlCheckInput {
  /** the rules, without a fixed time */
  ruleset: Ruleset;
  site: Omit<UrlSite, 'ruleset' | 'pageParameters'>;
  at: Date;
  isAccepted: (url: string) => boolean;
  slice?: TimeSlice;
}

/** `answers` is a partition of the URLs. */
export interface UrlCounts {
  urls: number;
  answers: Record<UrlAnswer, number>;
  /** rules whose target is neither living nor answered; 0 if no list says which pages live */
  dangling: number;
}

export interface LostUrl extends Rank {
  reason: LossReason;
}

export interface ShadowedUrl extends Rank {
  kind: ShadowKind;
  redirectId: number;
}

export interface DanglingRule extends Rank {
  /** `url` is its key */
  redirectId: number;
  newPath: string;
}

interface ListedRows {
  lost: LostUrl;
  shadowed: ShadowedUrl;
  dangling: DanglingRule;
}

export type CheckSection = keyof ListedRows;

/** The result of a check. */
export interface UrlCheck {
  counts: UrlCounts;
  /** when the first URL that is answered now loses its answer, see lossTime; null: none is known to */
  losesAt: Date | null;
  /** the check reached its time limit, so the counts are not complete */
  isCutShort: boolean;
  /** The first rows of a list after a place, worst first. */
  rows<Section extends CheckSection>(
    section: Section,
    page: { limit: number; after?: Rank | undefined },
  ): Promise<ListedRows[Section][]>;
}

/**
 * Classifies all URLs of a website with these rules at a time. Holds one byte for each URL beside their set, and yields
 * to the event loop. Stops after `maxMs`.
 */
export async function checkUrls(
  { urls, pageParameters, hasList }: SiteUrls,
  { ruleset, site: visited, at, isAccepted, slice = createTimeSlice() }: UrlCheckInput,
  maxMs = MAX_CHECK_MS,
): Promise<UrlCheck> {
  const startedAt = stopwatch();
  const { stateOf } = urls;
  const rules = watchRules(ruleset, at.getTime());
  const site: UrlSite = { ...visited, pageParameters, ruleset: rules };
  const answerAt = (index: number): Answer => {
    rules.changesAt = Infinity;
    return answerOf(site, requestFor(site, urls.text(index)), urls.state(index), stateOf);
  };
  const answers = new Uint8Array(urls.size);
  const counts = Object.fromEntries(URL_ANSWERS.map((answer) => [answer, 0])) as Record<UrlAnswer, number>;
  let losesAt = Infinity;
  let isCutShort = false;
  for (let index = 0; index < urls.size && !isCutShort; index++) {
    if (slice.isOver()) {
      await slice.yield();
      isCutShort = stopwatch() - startedAt > maxMs;
    }
    const found = answerAt(index);
    const answer = found.answer === 'lost' && isAccepted(urls.text(index)) ? 'accepted' : found.answer;
    counts[answer]++;
    answers[index] = URL_ANSWERS.indexOf(answer);
    if (rules.changesAt >= losesAt || !isAnswered(found)) continue;
    const url = urls.text(index);
    const change = { from: rules.changesAt, bound: losesAt };
    const moment = lossTime({ ...site, ruleset }, { url, state: urls.state(index), stateOf }, change);
    if (moment !== undefined && !isAccepted(url)) losesAt = moment;
  }
  const known = { stateOf, isAnsweredUrl: answeredUrls(urls, answers), at: at.getTime() };
  const keys = hasList && !isCutShort ? await findDangling(ruleset, site, known, slice) : NONE;
  const isIn = (answer: UrlAnswer) => (index: number) => answers[index] === URL_ANSWERS.indexOf(answer);
  const readers: { [S in CheckSection]: (page: Page) => Promise<ListedRows[S][]> } = {
    lost: async (page) =>
      (await firstUrls(urls, isIn('lost'), page, slice)).map(({ index, ...rank }) => ({
        ...rank,
        reason: answerAt(index).reason ?? 'unanswered',
      })),
    shadowed: async (page) =>
      (await firstUrls(urls, isIn('shadowed'), page, slice)).map(({ index, ...rank }) => {
        const { shadow = 'literal', rule } = answerAt(index);
        return { ...rank, kind: shadow, redirectId: rule?.id ?? 0 };
      }),
    dangling: async (page) =>
      (await firstUrls(keys, () => true, page, slice)).map(({ index: _index, ...rank }) => {
        const rule = ruleset.get(rank.url);
        return { ...rank, redirectId: rule?.id ?? 0, newPath: rule?.newPath ?? '' };
      }),
  };
  return {
    counts: { urls: urls.size, answers: counts, dangling: keys.size },
    losesAt: losesAt === Infinity ? null : new Date(losesAt),
    isCutShort,
    rows: (section, page) => readers[section](page),
  };
}

type Page = Parameters<typeof firstUrls>[2];

const NONE: RankedTexts = { size: 0, text: () => '', weight: () => 0, isAfter: () => false };

/** Numbers of the answers without a living page, a redirect or a 410. */
const UNANSWERED = new Set(
  (['lost', 'accepted', 'none'] satisfies UrlAnswer[]).map((answer) => URL_ANSWERS.indexOf(answer)),
);

/** Whether a URL is living or answered, by the numbers of the answers. */
function answeredUrls(urls: UrlSet, answers: Uint8Array): (url: string) => boolean | undefined {
  return (url) => {
    const index = urls.indexOf(url);
    return index < 0 ? undefined : !UNANSWERED.has(answers[index] ?? 0);
  };
}

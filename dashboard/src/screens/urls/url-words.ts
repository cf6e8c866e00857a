/** Texts about URLs, and about a list before it is pushed. */
import type { PushedUrls, WebsiteUrl } from '../../api/client/wire.ts';
import { ago, counted, dayOf, number } from '../../format.ts';

const SOURCE_WORDS: Record<WebsiteUrl['sources'][number], string> = {
  list: 'lists',
  file: 'files',
  redirect: 'former redirects',
  target: 'targets of redirects',
  visitors: 'visitors',
  log: 'logs',
};

/** `Living, in docs and main`, `Removed 3 days ago` or `Known from visitors`. */
export function stateText({ state, lists, sources, removed_at: removedAt }: WebsiteUrl, now?: number): string {
  if (state === 'living') return lists.length === 0 ? 'Living' : `Living, in ${joined(lists)}`;
  if (state === 'removed') return removedAt === null ? 'Removed' : `Removed ${ago(removedAt, now)}`;
  return `Known from ${joined(sources.map((source) => SOURCE_WORDS[source]))}`;
}

/** Why a lost URL is lost although a redirect answers it; '' otherwise. */
export function lossText({
  answered,
  reason,
  ends_at: end,
}: Pick<WebsiteUrl, 'answered' | 'reason' | 'ends_at'>): string {
  if (answered !== 'lost') return '';
  if (reason === 'loop') return 'Its redirects loop';
  return end === null ? '' : `Its redirects end at ${end}, which is lost`;
}

const joined = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;

/** `2 links, 30 clicks, 4 hits`; without those that are unknown or 0. */
export const weightText = ({ links, clicks, hits }: Pick<WebsiteUrl, 'links' | 'clicks' | 'hits'>): string =>
  [links ? counted(links, 'link') : '', clicks ? counted(clicks, 'click') : '', hits ? counted(hits, 'hit') : '']
    .filter(Boolean)
    .join(', ');

interface Line {
  text: string;
  /** examples */
  details: string[];
  isWarning?: boolean;
}

const IGNORED = { other_host: 'not a host of the website', domain_redirect: 'redirects as a whole' } as const;

/** The effect of a push: what leaves the list and what changes, then the rows that do not count and why. */
export function pushLines({ urls, ...examples }: PushedUrls): Line[] {
  const { total, added, removed, revived, unchanged, merged, ignored, invalid, not_living: notLiving } = urls;
  const cut = examples.merged_parameters;
  const line = (count: number, text: string, details: string[] = []): Line[] => (count > 0 ? [{ text, details }] : []);
  const back = revived > 0 ? `${number(revived)} living again, ` : '';
  const loss = `${number(removed)} removed: lost unless a redirect answers ${removed === 1 ? 'it' : 'them'}.`;
  return [
    ...line(removed, loss).map((each) => ({ ...each, isWarning: true })),
    ...line(1, `${counted(total, 'living URL')}: ${number(added)} added, ${back}${number(unchanged)} unchanged.`),
    ...line(
      merged,
      `${counted(merged, 'row')} merged with an earlier one of the same URL${cut.length > 0 ? `, without ${joined(cut)}` : ''}.`,
      examples.merged_examples,
    ),
    ...line(
      ignored,
      `${counted(ignored, 'row')} ignored, on other hosts.`,
      examples.ignored_hosts.map(({ host, rows, reason }) => `${host}: ${counted(rows, 'row')}, ${IGNORED[reason]}`),
    ),
    ...line(
      invalid,
      `${counted(invalid, 'invalid row')}, left out.`,
      examples.invalid_examples.map(({ line: at, value }) => `Line ${number(at)}: ${value}`),
    ),
    ...line(
      notLiving,
      `${counted(notLiving, 'page')} not living: noindex, another canonical, or another status than 200.`,
    ),
  ];
}

/** The share and the number that a list may lose without a question. */
const FREE_SHARE = 0.1;
const FREE_COUNT = 10;

/** The text to confirm before a push that empties much of a list; undefined if little leaves it. */
export function removedQuestion({ urls: { total, removed, unchanged } }: PushedUrls): string | undefined {
  const before = removed + unchanged;
  const allowed = total === 0 ? 0 : Math.max(FREE_COUNT, Math.floor(before * FREE_SHARE));
  if (removed <= allowed) return undefined;
  const of = removed === before ? `all ${counted(removed, 'URL')}` : `${number(removed)} of ${counted(before, 'URL')}`;
  return `The file is complete: remove ${of} from the list`;
}

/** `120 URLs, 4 more and 2 fewer than before`. */
export function versionText({ total, added, removed }: { total: number; added: number; removed: number }): string {
  const changes = [
    ...(added > 0 ? [`${number(added)} added`] : []),
    ...(removed > 0 ? [`${number(removed)} removed`] : []),
  ];
  return [counted(total, 'URL'), ...changes].join(', ');
}

/** The folder that all selected URLs share, such as `/old/`, if no other listed URL is in it; never the root. */
export function wholeFolder(selected: readonly string[], listed: readonly string[]): string | undefined {
  const sorted = selected.toSorted();
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)];
  let end = first.lastIndexOf('/') + 1;
  while (end > 1 && !last.startsWith(first.slice(0, end))) end = first.lastIndexOf('/', end - 2) + 1;
  const folder = first.slice(0, end);
  // A * would stand for any text.
  if (sorted.length < 2 || end < 2 || /[*?]/.test(folder)) return undefined;
  const isSelected = new Set(selected);
  return listed.every((url) => isSelected.has(url) || !url.startsWith(folder)) ? folder : undefined;
}

/** The time limit of an accepted loss. */
export function untilText(until: string | null, now = Date.now()): string {
  if (until === null) return 'Without end';
  return Date.parse(until) > now ? `Until ${dayOf(until)}` : `Ended ${dayOf(until)}`;
}

/** Results of the service for the finder: the response to a URL, redirects, groups, saved views and notes. */
import { queryText } from '../../api/client/client.ts';
import { findWebsites } from '../../api/websites.ts';
import { findRedirects, listGroups, listSavedViews } from '../../api/redirects.ts';
import type { Redirect, Website } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { excerptOf } from '../../ui/text/marked.tsx';
import { scheduleOf } from '../../ui/text/schedule.ts';
import { shownPath } from '../../ui/text/path-parts.ts';
import { filterIn, REDIRECT_TOKENS } from '../../screens/redirects/view.ts';
import { planHas } from '../../state/session.ts';
import { readLine } from '../../ui/form/query-line.ts';
import { redirectUrl, savedViewUrl } from '../../urls.ts';
import { answerSection } from './answer.ts';
import { type AskedUrl, websiteOf } from '../../asked-url.ts';
import type { Entry, Section } from './entry.ts';
import { hasText, websiteEntry, wordMatcher } from './places.ts';

/** Entries of a section. One more is read, to know whether there are others. */
const MAX_ENTRIES = 5;
const MAX_GROUPS = 4;
/** Shorter texts are in most notes. */
const MIN_NOTE_LENGTH = 2;
/** The API's limit of the search for a group. */
const MAX_GROUP_LENGTH = 200;

interface Question {
  text: string;
  asked: AskedUrl | undefined;
  websites: readonly Website[];
  current: Website | undefined;
}

/**
 * Resolves with the sections that have entries, the response to a URL first. Shows those that are known before. Rejects
 * like `call`.
 */
export async function find(
  question: Question,
  signal: AbortSignal,
  show: (sections: Section[]) => void,
): Promise<Section[]> {
  const filtered = await findFiltered(question, signal);
  if (filtered) return filtered;
  const asked = await withWebsite(question, signal);
  const here = asked?.website ?? question.current;
  if (!here) return [];
  const found: Section[] = [];
  const known = (): Section[] => found.filter(({ entries }) => entries.length > 0);
  const parts = partsOf({ ...question, asked }, here, signal).map(async (part, at) => {
    found[at] = await part;
    show(known());
  });
  await Promise.all(parts);
  return known();
}

/** The redirects that match the filters of a line such as `status:302 boots`; none if one is invalid; undefined without filters. */
async function findFiltered({ text, websites, current }: Question, signal: AbortSignal) {
  const { search: q, parameters, problem } = readLine(REDIRECT_TOKENS, text, true);
  if (problem !== undefined) return [];
  if (Object.keys(parameters).length === 0) return undefined;
  const wanted = new URLSearchParams(queryText({ ...parameters, ...(q && { q }) }));
  const query = { ...filterIn(wanted, planHas('analytics')), website_id: current?.id, limit: MAX_ENTRIES + 1 };
  const { redirects } = await findRedirects(query, signal);
  const nameOf = (id: number) => (current ? undefined : websites.find((each) => each.id === id)?.name);
  const entries = redirects.slice(0, MAX_ENTRIES).map((each) => redirectEntry(each, nameOf(each.website_id)));
  const hasMore = current !== undefined && redirects.length > 0;
  const all = hasMore ? [showAll(`/websites/${current.id}/redirects?${wanted.toString()}`)] : [];
  return entries.length > 0 ? [{ title: 'Matching redirects', entries: [...entries, ...all] }] : [];
}

/** The sections in their order. */
function partsOf({ text, asked, websites }: Question, here: Website, signal: AbortSignal): Promise<Section>[] {
  const website_id = here.id;
  // The search finds the path of a URL only in the website of its host.
  const q = asked && asked.website === undefined ? asked.path : text;
  const isName = !asked && text.length <= MAX_GROUP_LENGTH;
  const isNote = !asked && text.length >= MIN_NOTE_LENGTH;
  const base = `/websites/${website_id}/redirects`;
  const listed = findRedirects({ website_id, q, limit: MAX_ENTRIES + 1 }, signal).then(({ redirects }) => redirects);
  const section = async (title: string, entries: Promise<Entry[]>): Promise<Section> => ({
    title,
    entries: await entries,
  });
  async function ofRedirects(): Promise<Entry[]> {
    const redirects = await listed;
    const more = redirects.length > MAX_ENTRIES ? [showAll(`${base}?q=${encodeURIComponent(q)}`)] : [];
    return [...redirects.slice(0, MAX_ENTRIES).map((redirect) => redirectEntry(redirect)), ...more];
  }
  async function ofGroups(): Promise<Entry[]> {
    const { groups } = await listGroups(website_id, { q: text, limit: MAX_GROUPS }, signal);
    return groups.map((group) => groupEntry(group, base));
  }
  async function ofNotes(): Promise<Entry[]> {
    const { redirects } = await findRedirects({ website_id, notes: text, limit: MAX_ENTRIES + 1 }, signal);
    const more = redirects.length > MAX_ENTRIES ? [showAll(`${base}?notes=${encodeURIComponent(text)}`)] : [];
    return [...redirects.slice(0, MAX_ENTRIES).map((redirect) => noteEntry(redirect, text)), ...more];
  }
  async function ofViews(): Promise<Entry[]> {
    const { views } = await listSavedViews(website_id, signal);
    const matching = views.filter(({ name }) => wordMatcher(text)(name)).slice(0, MAX_ENTRIES);
    return matching.map((view) => ({ icon: 'filter', text: view.name, href: savedViewUrl(website_id, view) }));
  }
  const ofHosts = async () => (await websitesByHost(text, websites, signal)).map(websiteEntry);
  const elsewhere = async () => findElsewhere(websites, q, here, await listed, signal);
  return [
    ...(asked ? [answerSection(asked, here, existingOf(asked, listed), signal)] : []),
    section(websites.length > 1 ? `Redirects of ${here.name}` : 'Redirects', ofRedirects()),
    ...(isNote ? [section('Websites by host', ofHosts())] : []),
    ...(isName ? [section('Groups', ofGroups()), section('Saved views', ofViews())] : []),
    ...(isNote ? [section('Notes', ofNotes())] : []),
    section('Redirects of other websites', elsewhere()),
  ];
}

/** The redirect of exactly this path, if it is among those found. */
const existingOf =
  ({ path }: AskedUrl, listed: Promise<Redirect[]>) =>
  async (): Promise<Redirect | undefined> =>
    (await listed).find(({ old_path }) => shownPath(old_path).text === shownPath(path).text);

/** The list of websites has only the first hosts of each. */
const hasMoreHosts = ({ hosts, host_count: count }: Website): boolean => hosts.length < count;

/** A scheme and a host that may not be complete yet. */
const UNFINISHED_HOST = /^https?:\/\/[^/?#]*$/i;

/**
 * The question's URL, with the website of a host that is not among the first of any website; undefined while an
 * unknown host is typed.
 */
async function withWebsite({ text, asked, websites }: Question, signal: AbortSignal): Promise<AskedUrl | undefined> {
  if (asked?.hostname === undefined || asked.website) return asked;
  const found = websites.some(hasMoreHosts) ? await findWebsites({ host: asked.hostname }, signal) : { websites: [] };
  const known = websiteOf(asked.hostname, found.websites);
  return known || !UNFINISHED_HOST.test(text) ? { ...asked, ...known } : undefined;
}

/** Websites of which only hosts that are not loaded have the text. */
async function websitesByHost(text: string, websites: readonly Website[], signal: AbortSignal): Promise<Website[]> {
  if (!websites.some(hasMoreHosts)) return [];
  const isLoaded = hasText(text);
  const { websites: found } = await findWebsites({ q: text }, signal);
  return found.filter(({ id }) => !websites.some((each) => each.id === id && isLoaded(each))).slice(0, MAX_ENTRIES);
}

/** Redirects of other websites, if the website has few matches: an account may have millions to search. */
async function findElsewhere(
  websites: readonly Website[],
  q: string,
  here: Website,
  found: readonly Redirect[],
  signal: AbortSignal,
): Promise<Entry[]> {
  if (websites.length < 2 || found.length > MAX_ENTRIES) return [];
  const { redirects } = await findRedirects({ q, limit: MAX_ENTRIES + found.length }, signal);
  return redirects
    .filter(({ website_id }) => website_id !== here.id)
    .slice(0, MAX_ENTRIES)
    .map((redirect) => redirectEntry(redirect, websites.find(({ id }) => id === redirect.website_id)?.name));
}

function redirectEntry(redirect: Redirect, place?: string): Entry {
  const { id, website_id, old_path, new_path, status_code } = redirect;
  const { phase, text } = scheduleOf(redirect, Date.now());
  const schedule = phase === 'active' ? undefined : `Not live: ${text}`;
  return {
    icon: 'redirects',
    text: old_path,
    target: new_path,
    badge: String(status_code),
    note: place !== undefined && schedule !== undefined ? `${place}. ${schedule}` : (place ?? schedule),
    href: redirectUrl(website_id, id),
  };
}

const showAll = (href: string): Entry => ({ icon: 'search', text: 'Show all in the list', href });

const groupEntry = (
  { group_id, redirect_count }: { group_id: string; redirect_count: number },
  base: string,
): Entry => ({
  icon: 'file',
  text: group_id,
  note: counted(redirect_count, 'redirect'),
  href: `${base}?group=${encodeURIComponent(group_id)}`,
});

const noteEntry = ({ id, website_id, old_path, notes }: Redirect, text: string): Entry => ({
  icon: 'edit',
  text: old_path,
  note: excerptOf(notes ?? '', text),
  href: redirectUrl(website_id, id),
});

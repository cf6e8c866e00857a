/** The content of a kind of notice, and the screen of the dashboard that it links to (dashboard/src/routes.ts). */
import type { SignalPlace } from '../../vocabulary/notices.ts';
import type { Message } from './message.ts';

export interface Content extends Pick<Message, 'title' | 'lines' | 'sections'> {
  link: LinkTarget;
}

interface LinkTarget {
  label: string;
  /** a screen of the website of the place; the list of websites if it has none */
  screen?: string;
  /** any other path */
  page?: string;
  /** parameters that the screen reads, besides `environment` */
  query?: Record<string, string>;
  /** the screen shows all environments */
  isOfAll?: boolean;
}

/** Characters of a search. A longer path is found by its beginning; the URL stays short enough for every channel. */
const MAX_SEARCH_LENGTH = 100;

/** The URL of the screen. It begins with `publicUrl`; texts of others are only in its query, encoded. */
export function urlOf(publicUrl: string, place: SignalPlace, { screen, page, query, isOfAll }: LinkTarget): string {
  if (page !== undefined) return publicUrl + page;
  if (place.websiteId === null || screen === undefined) return `${publicUrl}/websites`;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) parameters.set(name, searchable(value));
  if (place.environment !== null && !isOfAll) parameters.set('environment', place.environment);
  const suffix = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `${publicUrl}/websites/${place.websiteId}/${screen}${suffix}`;
}

const searchable = (value: string): string => [...value].slice(0, MAX_SEARCH_LENGTH).join('');

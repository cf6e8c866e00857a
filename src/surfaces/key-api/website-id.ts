import { websiteNotFound } from '../../websites/website.ts';

const MAX_ID = 2_147_483_647;

/** Ids are strings on this surface, and one that is no number is unknown like any other: WEBSITE_NOT_FOUND. */
export function websiteIdOf(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > MAX_ID) throw websiteNotFound(text);
  return Number(text);
}

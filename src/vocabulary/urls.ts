/** URLs of a website: their sources, states and answers. */

/** Bits of `urls.sources`, in the order of the API. */
export const URL_SOURCES = { list: 1, file: 2, redirect: 4, target: 8, visitors: 16, log: 32 } as const;

export type UrlSource = keyof typeof URL_SOURCES;

/** `living`: a list of living pages holds it; `removed`: it was living, and no list holds it; `known`: never living. */
export const URL_STATES = ['living', 'removed', 'known'] as const;
export type UrlState = (typeof URL_STATES)[number];

/**
 * What a URL gets, exactly one of these. `shadowed`: a living page that a rule hides. `lost`: removed and not answered,
 * or at a chain without an end. `none`: known and not answered. `accepted`: a lost one that matches an accepted loss.
 */
export const URL_ANSWERS = ['living', 'shadowed', 'redirected', 'gone', 'lost', 'accepted', 'none'] as const;
export type UrlAnswer = (typeof URL_ANSWERS)[number];

/** Why a URL is lost: nothing answers it, its chain ends at a lost address of the website, or has no end. */
export type LossReason = 'unanswered' | 'dead_end' | 'loop';

/** The rule over a living page: a literal, a pattern, or a literal that matches by folding the case or the final slash. */
export type ShadowKind = 'literal' | 'pattern' | 'case' | 'slash';

/** URLs of one website, on any plan. */
export const MAX_WEBSITE_URLS = 1_000_000;
/** Entries of the accepted losses of one website, on any plan. */
export const MAX_ACCEPTED_LOSSES = 1_000;
/** Bytes of an address, also in its canonical form. */
export const MAX_URL_BYTES = 2_048;

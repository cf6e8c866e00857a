/** Facts of a file about a page that decide whether it is living. */
export interface PageFacts {
  /** 0 if the tool received no response */
  status?: number | undefined;
  noindex?: boolean | undefined;
  canonical?: string | undefined;
}

/** False for a page with another status than 200, with `noindex`, or with the canonical of another page. */
export function isLiving(url: string, { status, noindex, canonical = '' }: PageFacts): boolean {
  if (status !== undefined && status !== 0 && status !== 200) return false;
  if (noindex === true) return false;
  return canonical === '' || canonical === url || pageOf(canonical, url) === pageOf(url, url);
}

/** The address without scheme, `www.` and fragment: a redirect answers for all spellings of these. */
function pageOf(address: string, base: string): string {
  try {
    const { host, pathname, search } = new URL(address, new URL(base, 'http://path.invalid'));
    return `${host.replace(/^www\./, '')}${pathname}${search}`;
  } catch {
    return address;
  }
}

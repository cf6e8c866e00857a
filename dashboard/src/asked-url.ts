import type { Environment } from '../../src/vocabulary/environment.ts';
import type { Website } from './api/client/wire.ts';

/** A pasted URL or path, and the website that it is about. */
export interface AskedUrl {
  /** with its query, in the spelling of the text */
  path: string;
  /** undefined: the text is a path */
  hostname: string | undefined;
  /** the website of the host; for a path, the current one */
  website: Website | undefined;
  /** the environment of the host */
  environment: Environment;
}

const URL_WITH_SCHEME = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)([^#]*)/i;
const URL_WITHOUT_SCHEME = /^([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?)(\/[^#]*)/iu;

/** Parses a text that begins with a slash, a host and a slash, or a scheme; undefined for any other text. */
export function askedUrl(
  text: string,
  websites: readonly Website[],
  current: Website | undefined,
): AskedUrl | undefined {
  if (/\s/.test(text)) return undefined;
  if (/^\/(?!\/)/.test(text)) {
    return { path: text.replace(/#.*$/, ''), hostname: undefined, website: current, environment: 'production' };
  }
  const [, host, rest = ''] = URL_WITH_SCHEME.exec(text) ?? URL_WITHOUT_SCHEME.exec(text) ?? [];
  const hostname = host === undefined ? undefined : asciiHostname(host);
  if (hostname === undefined) return undefined;
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const found = websiteOf(hostname, websites);
  return { path, hostname, website: found?.website, environment: found?.environment ?? 'production' };
}

/** Without port; IDNA in ASCII form. */
function asciiHostname(host: string): string | undefined {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname.replace(/\.$/, '') : undefined;
}

/** The website that serves a host: an exact host takes precedence, then the longest wildcard. */
export function websiteOf(
  hostname: string,
  websites: readonly Website[],
): { website: Website; environment: Environment } | undefined {
  const candidates = websites
    .flatMap((website) => website.hosts.map((host) => ({ website, ...host })))
    .filter(({ hostname: name }) => name === hostname || (name.startsWith('*.') && hostname.endsWith(name.slice(1))));
  const [best] = candidates.toSorted(
    (a, b) =>
      Number(b.hostname === hostname) - Number(a.hostname === hostname) || b.hostname.length - a.hostname.length,
  );
  return best;
}

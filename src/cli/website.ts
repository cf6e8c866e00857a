/** The website that a command works on. */
import type { Environment as EnvironmentName } from '../vocabulary/environment.ts';
import type { Client } from './client.ts';
import { type Context, text } from './command.ts';
import type { OptionSpec } from './options.ts';
import { CommandError, UsageError } from './errors.ts';

export interface Website {
  id: string;
  name: string;
  /** `redirect_to` is null, or absent in old services, if the rules of the website answer the host */
  hosts: { hostname: string; environment: EnvironmentName; redirect_to?: object | null }[];
  auto_deploy: boolean;
  held_environments: EnvironmentName[];
}

export const WEBSITE_OPTION: Record<string, OptionSpec> = {
  website: {
    short: 'w',
    value: 'WEBSITE',
    help: 'A website by host, name or id. Default: DETOUR_WEBSITE, else the only one.',
  },
};

const MAX_NAMED = 20;

export async function listWebsites(client: Client): Promise<Website[]> {
  return (await client.get<{ websites: Website[] }>('/websites')).websites;
}

/** The website of `--website`. Throws a UsageError if none is named and there are several, or if the name is ambiguous. */
export async function websiteOf(context: Context): Promise<Website> {
  const wanted = text(context, 'website') ?? context.terminal.env['DETOUR_WEBSITE'];
  return chooseWebsite(await listWebsites(context.client), wanted || undefined);
}

/** A host or an id takes precedence over a name. */
export function chooseWebsite(websites: Website[], wanted: string | undefined): Website {
  if (wanted === undefined) {
    const [only] = websites;
    if (only && websites.length === 1) return only;
    if (!only) throw new CommandError('the API key can see no website: create one in the dashboard');
    throw new UsageError(`name a website with --website: ${listed(websites)}`);
  }
  const name = wanted.toLowerCase();
  const found = websites.find(
    ({ id, hosts }) => id === wanted || hosts.some(({ hostname }) => hostname.toLowerCase() === name),
  );
  if (found) return found;
  const named = websites.filter((website) => website.name.toLowerCase() === name);
  if (named.length > 1) throw new UsageError(`several websites are named "${wanted}"; use an id: ${listed(named)}`);
  const [one] = named;
  if (!one) throw new CommandError(`there is no website "${wanted}": ${listed(websites)}`);
  return one;
}

function listed(websites: Website[]): string {
  const names = websites.slice(0, MAX_NAMED).map(({ id, name, hosts }) => `${hosts[0]?.hostname ?? name} (${id})`);
  const others = websites.length - names.length;
  return [...names, ...(others > 0 ? [`and ${others} more`] : [])].join(', ') || 'the key sees no website';
}

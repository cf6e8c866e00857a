/** The command line of `detour-edge` and its environment variables. docs/edge-agent.md lists both. */
import { hostname } from 'node:os';
import { UsageError } from '../cli/errors.ts';
import { assertValue, type OptionSpec, parseOptions, serviceUrl } from '../cli/options.ts';
import { type Config, loadConfig } from '../platform/config/config.ts';
import { type Environment, ENVIRONMENTS } from '../vocabulary/environment.ts';

/** Stands for every website that the key may read. */
export const ALL = 'all';

/** A website of `--website`, with its environment. */
export interface WantedWebsite {
  /** an id, a host, a name, or ALL */
  website: string;
  environment: Environment;
}

/** The address of a server. */
export interface ListenAddress {
  host: string;
  /** 0: any free port */
  port: number;
}

export interface AgentOptions extends Pick<Config, 'trustProxy' | 'countryHeader' | 'metricsToken' | 'dataDir'> {
  /** the service, without a slash at the end */
  url: string;
  apiKey: string;
  websites: WantedWebsite[];
  /** the name in the service's list of agents */
  name: string;
  listen: ListenAddress;
  /** null: no probes and no metrics */
  adminListen: ListenAddress | null;
  /** null: no relay */
  relay: ListenAddress | null;
}

interface Option extends OptionSpec {
  /** the variable, which the option overrides */
  env: string;
  value: string;
  fallback?: string;
}

const OPTIONS = {
  url: { env: 'DETOUR_URL', value: 'URL', help: 'The service, such as https://detour.example.com.' },
  key: {
    env: 'DETOUR_API_KEY',
    value: 'KEY',
    help: 'An API key with read scope. Prefer the variable: others can read a command line.',
  },
  website: {
    env: 'DETOUR_WEBSITE',
    value: 'WEBSITE[:ENVIRONMENT]',
    help: 'A website by id, host or name, or "all" that the key may read. Repeat it for several; the variable separates them by commas.',
    isRepeated: true,
  },
  environment: {
    env: 'DETOUR_ENVIRONMENT',
    value: 'NAME',
    help: 'production, staging or development.',
    choices: ENVIRONMENTS,
    fallback: 'production',
  },
  listen: {
    env: 'DETOUR_LISTEN',
    value: '[HOST:]PORT',
    help: 'Where visitors are answered.',
    fallback: '127.0.0.1:8080',
  },
  'admin-listen': {
    env: 'DETOUR_ADMIN_LISTEN',
    value: '[HOST:]PORT',
    help: 'Where /health, /ready and /metrics are; off for nowhere.',
    fallback: '127.0.0.1:8081',
  },
  relay: {
    env: 'DETOUR_RELAY',
    value: '[HOST:]PORT',
    help: 'Where other agents follow this one instead of the service. Default: nowhere.',
  },
  data: {
    env: 'DETOUR_DATA',
    value: 'DIR',
    help: 'The folder of the disk copy and of hits that wait.',
    fallback: './.detour-edge',
  },
  name: { env: 'DETOUR_AGENT', value: 'NAME', help: 'The name in the list of agents. Default: the host name.' },
  'trust-proxy': {
    env: 'TRUST_PROXY',
    value: 'PROXIES',
    help: 'The number of proxies in front, or their networks. Default: none.',
  },
  'country-header': {
    env: 'COUNTRY_HEADER',
    value: 'HEADER',
    help: 'The header in which a trusted proxy sends the country.',
  },
} satisfies Record<string, Option>;

type Name = keyof typeof OPTIONS;
const NAMES = Object.keys(OPTIONS) as Name[];

export type Invocation = { kind: 'help' } | { kind: 'version' } | { kind: 'run'; options: AgentOptions };

const SWITCHES = {
  help: { short: 'h', help: '' },
  version: { short: 'V', help: '' },
};

/** Parses the command line; an option takes precedence over its variable. Throws a UsageError. */
export function readOptions(args: string[], env: Record<string, string | undefined>): Invocation {
  const { options: given } = parseOptions(args, { ...OPTIONS, ...SWITCHES });
  if (given['help']) return { kind: 'help' };
  if (given['version']) return { kind: 'version' };
  const text = (name: Name): string | undefined => {
    const option: Option = OPTIONS[name];
    const value = given[name] ?? (env[option.env] || option.fallback);
    assertValue(name, value, option);
    return typeof value === 'string' ? value : undefined;
  };
  const required = (name: Name): string => {
    const value = text(name);
    if (!value) throw new UsageError(`--${name} is missing: pass it, or set ${OPTIONS[name].env}`);
    return value;
  };
  const url = serviceUrl(required('url'), '--url');
  const apiKey = required('key');
  const environment = ENVIRONMENTS.find((one) => one === required('environment')) ?? 'production';
  const { website } = given;
  const wanted = Array.isArray(website) ? website.map(String) : required('website').split(',');
  const settings = proxySettings({
    TRUST_PROXY: text('trust-proxy'),
    COUNTRY_HEADER: text('country-header'),
    METRICS_TOKEN: env['METRICS_TOKEN'],
    DATA_DIR: text('data'),
  });
  const admin = required('admin-listen');
  const relay = text('relay');
  const options: AgentOptions = {
    ...settings,
    url,
    apiKey,
    websites: wanted.map((one) => wantedWebsite(one.trim(), environment)),
    name: text('name') ?? hostname(),
    listen: listenAddress(required('listen'), '--listen'),
    adminListen: admin === 'off' ? null : listenAddress(admin, '--admin-listen'),
    relay: relay === undefined ? null : listenAddress(relay, '--relay'),
  };
  assertNoRepeats(options.websites);
  return { kind: 'run', options };
}

/** The settings that the service has too, with the same checks. */
function proxySettings(env: Record<string, string | undefined>) {
  try {
    const { trustProxy, countryHeader, metricsToken, dataDir } = loadConfig(env);
    return { trustProxy, countryHeader, metricsToken, dataDir };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** A suffix that is no environment is part of the website's name. */
function wantedWebsite(text: string, environment: Environment): WantedWebsite {
  const colon = text.lastIndexOf(':');
  const suffix = ENVIRONMENTS.find((one) => one === text.slice(colon + 1));
  const website = colon >= 0 && suffix ? text.slice(0, colon) : text;
  if (website === '') throw new UsageError('--website needs an id, a host or a name');
  return { website, environment: colon >= 0 && suffix ? suffix : environment };
}

function listenAddress(text: string, option: string): ListenAddress {
  const [, host = '127.0.0.1', digits = ''] = /^(?:\[?([A-Za-z0-9.:%_-]+?)\]?:)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535)
    throw new UsageError(`${option} must be a port or an address with a port, such as 0.0.0.0:8080; it is "${text}"`);
  return { host, port };
}

function assertNoRepeats(websites: WantedWebsite[]): void {
  const names = websites.map(({ website, environment }) => `${website}:${environment}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`--website ${twice} is repeated`);
  const everything = websites.filter(({ website }) => website === ALL).map(({ environment }) => environment);
  const included = websites.find(({ website, environment }) => website !== ALL && everything.includes(environment));
  if (included)
    throw new UsageError(
      `--website all includes ${included.website} in ${included.environment}: leave out one of them`,
    );
}

export function helpText(): string {
  const rows = NAMES.map((name) => {
    const { value, env, help, fallback }: Option = OPTIONS[name];
    const text = fallback === undefined ? help : `${help} Default: ${fallback}`;
    return `  ${`--${name} ${value}`.padEnd(32)} ${env.padEnd(20)} ${text}`;
  });
  return [
    'detour-edge --url URL --website WEBSITE [options]',
    'Answers the redirects of websites on this machine, without a database. Follows the service, and goes on while it is away.',
    `Options, and their environment variables:\n${rows.join('\n')}`,
  ].join('\n\n');
}

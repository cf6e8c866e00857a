import { ENVIRONMENTS, type Environment } from '../../vocabulary/environment.ts';
import type { Client } from '../client.ts';
import { type Command, text } from '../command.ts';
import type { Deployment } from '../deployments.ts';
import { chooseWebsite, listWebsites, type Website, WEBSITE_OPTION } from '../website.ts';

interface Counts {
  added: number;
  changed: number;
  removed: number;
}

interface EnvironmentStatus {
  environment: Environment;
  hosts: string[];
  /** null before the first deployment */
  live: { version: number; redirect_count: number; deployed_at: string } | null;
  running: string[];
  /** the error of the newest deployment, if it failed */
  failed: string | null;
  held: boolean;
  /** null unless one website is shown */
  waiting: Counts | null;
}

interface WebsiteStatus {
  id: string;
  name: string;
  environments: EnvironmentStatus[];
}

/** Failed and queued deployments that may follow the live one. */
const MAX_SEARCHED = 100;

export const status: Command = {
  summary: 'Shows websites, live versions, waiting changes and running deployments.',
  options: WEBSITE_OPTION,
  notes: 'Changes that wait for a deployment are counted for one website: name it with --website.',
  async run(context) {
    const { client } = context;
    const wanted = text(context, 'website') ?? context.terminal.env['DETOUR_WEBSITE'];
    const all = await listWebsites(client);
    const shown = wanted ? [chooseWebsite(all, wanted)] : all;
    const websites: WebsiteStatus[] = [];
    for (const website of shown) websites.push(await statusOf(client, website, shown.length === 1));
    return { text: websites.flatMap(websiteLines).join('\n') || 'no websites', json: { websites } };
  },
};

async function statusOf(client: Client, website: Website, withChanges: boolean): Promise<WebsiteStatus> {
  const environments: EnvironmentStatus[] = [];
  for (const environment of ENVIRONMENTS) {
    const found = await environmentOf(client, website, environment, withChanges);
    if (found.hosts.length > 0 || found.live || found.running.length > 0 || found.failed) environments.push(found);
  }
  return { id: website.id, name: website.name, environments };
}

async function environmentOf(
  client: Client,
  website: Website,
  environment: Environment,
  withChanges: boolean,
): Promise<EnvironmentStatus> {
  const query = { website_id: website.id, environment };
  const list = await client.get<{ deployments: Deployment[] }>('/deployments', { ...query, limit: MAX_SEARCHED });
  const { deployments } = list;
  const live = deployments.find((deployment) => deployment.status === 'completed');
  const newest = deployments.find(({ status: state }) => state === 'completed' || state === 'failed');
  const diff = withChanges ? await client.get<{ counts: Counts }>('/deployments/diff', query) : undefined;
  return {
    environment,
    hosts: website.hosts.filter((host) => host.environment === environment).map(({ hostname }) => hostname),
    live: live
      ? {
          version: live.version ?? 0,
          redirect_count: live.redirect_count ?? 0,
          deployed_at: live.deployed_at ?? live.created_at,
        }
      : null,
    running: deployments.filter(({ status: state }) => state === 'queued' || state === 'running').map(({ id }) => id),
    failed: newest?.status === 'failed' ? (newest.error ?? 'unknown reason') : null,
    held: website.held_environments.includes(environment),
    waiting: diff?.counts ?? null,
  };
}

function websiteLines({ id, name, environments }: WebsiteStatus): string[] {
  const lines = environments.map(({ environment, hosts, live, running, failed, held, waiting }) => {
    const rules = live?.redirect_count.toLocaleString('en');
    const parts = [
      live ? `version ${live.version}, ${rules} rules, since ${live.deployed_at}` : 'nothing is deployed',
      ...(waiting && waiting.added + waiting.changed + waiting.removed > 0
        ? [`waiting: ${waiting.added} added, ${waiting.changed} changed, ${waiting.removed} removed`]
        : []),
      ...(running.length > 0 ? [`running: ${running.join(', ')}`] : []),
      ...(failed === null ? [] : [`the last deployment failed: ${failed}`]),
      ...(held ? ['automatic deployments are stopped'] : []),
    ];
    return `  ${environment}${hosts.length > 0 ? ` (${hosts.join(', ')})` : ''}: ${parts.join('; ')}`;
  });
  return [`${name} (${id})`, ...(lines.length > 0 ? lines : ['  nothing is deployed'])];
}

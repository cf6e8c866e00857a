import { ENVIRONMENTS, type Environment } from '../../vocabulary/environment.ts';
import type { Client } from '../client.ts';
import { choice, type Command, type Context, environmentOption, isOn, type Outcome, SHARE, text } from '../command.ts';
import { type Deployment, followDeployments, heldRefusal, RESUME_OPTION, WAIT_OPTIONS } from '../deployments.ts';
import { ApiError, CommandError, UsageError } from '../errors.ts';
import type { OptionSpec } from '../options.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';

const PUBLISH_OPTIONS: Record<string, OptionSpec> = {
  ...WEBSITE_OPTION,
  note: { value: 'TEXT', help: 'A note at the deployment, at most 500 characters.' },
  force: { help: 'Skips the gate of expectations and URLs. The deployment records it.' },
  'max-removals': {
    value: 'N|N%',
    form: SHARE,
    help: 'Deploys nothing if more live rules than this would be removed.',
  },
  ...WAIT_OPTIONS,
};

const ENVIRONMENT = environmentOption('The environment. Default: production.', 'e');

const GATE = 'Exit code 3 if the gate of expectations or --max-removals refuses it; the version before stays live.';

export const deploy: Command = {
  summary: 'Publishes the current redirects, and waits until they are live.',
  options: { environment: ENVIRONMENT, resume: RESUME_OPTION, ...PUBLISH_OPTIONS },
  notes: `${GATE}\nExit code 3 also if a rollback or promotion holds the environment, unless --resume is given.`,
  async run(context) {
    const environment = environmentOf(context);
    try {
      return await publish(context, '/deployments', async () => ({ environment, resume: isOn(context, 'resume') }));
    } catch (error) {
      const isHeld = error instanceof ApiError && error.code === 'ENVIRONMENT_HELD';
      throw isHeld ? new ApiError(error.status, error.body, heldRefusal(environment)) : error;
    }
  },
};

export const promote: Command = {
  summary: 'Publishes the live rules of one environment to another.',
  options: {
    from: environmentOption('The environment whose live rules are published. Default: staging.'),
    to: environmentOption('The environment to publish to. Default: production.'),
    ...PUBLISH_OPTIONS,
  },
  notes: `${GATE}\nIt stops automatic deployments to the environment until the next \`detour deploy --resume\`.`,
  run: (context) =>
    publish(context, '/deployments/promote', async () => ({
      from: choice(context, 'from', ENVIRONMENTS) ?? 'staging',
      to: choice(context, 'to', ENVIRONMENTS) ?? 'production',
    })),
};

export const rollback: Command = {
  summary: 'Publishes the rules of an earlier version again.',
  words: '[VERSION]',
  options: { environment: ENVIRONMENT, ...PUBLISH_OPTIONS },
  notes: `VERSION defaults to the one before the live version.
${GATE}
It stops automatic deployments to the environment until the next \`detour deploy --resume\`.`,
  run: (context) =>
    publish(context, '/deployments/rollback', async (websiteId) => {
      const environment = environmentOf(context);
      const [word] = context.words;
      if (word !== undefined && !/^[1-9]\d{0,8}$/.test(word)) {
        throw new UsageError(`VERSION must be the number of a version; it is "${word}"`);
      }
      const version = word === undefined ? await previousVersion(context.client, websiteId, environment) : Number(word);
      return { environment, version };
    }),
};

function environmentOf(context: Context): Environment {
  return choice(context, 'environment', ENVIRONMENTS) ?? 'production';
}

/** Queues a deployment and follows it to its end. */
async function publish(
  context: Context,
  path: string,
  fieldsOf: (websiteId: string) => Promise<object>,
): Promise<Outcome> {
  const maxRemovals = text(context, 'max-removals');
  const website = await websiteOf(context);
  const note = text(context, 'note');
  const { deployment } = await context.client.post<{ deployment: Deployment }>(path, {
    website_id: website.id,
    ...(await fieldsOf(website.id)),
    ...(maxRemovals !== undefined && {
      max_removals: maxRemovals.endsWith('%') ? maxRemovals : Number(maxRemovals),
    }),
    ...(note !== undefined && { note }),
    ...(isOn(context, 'force') && { force: true }),
  });
  const deployed = await followDeployments(context, [deployment.id]);
  const [ended = deployment] = deployed.json.deployments;
  const lines = deployed.lines.length > 0 ? deployed.lines : [`${ended.environment}: queued as ${ended.id}`];
  return { exit: deployed.exit, text: lines.join('\n'), json: { deployment: ended, failures: deployed.json.failures } };
}

async function previousVersion(client: Client, websiteId: string, environment: Environment): Promise<number> {
  const { deployments } = await client.get<{ deployments: Deployment[] }>('/deployments', {
    website_id: websiteId,
    environment,
    limit: 1_000,
  });
  const live = Math.max(0, ...deployments.map(({ version }) => version ?? 0));
  if (live < 2) throw new CommandError(`${environment} has no earlier version`);
  return live - 1;
}

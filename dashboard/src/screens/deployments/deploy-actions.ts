import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { ApiError } from '../../api/api-error.ts';
import { deploy, promote, rollBack } from '../../api/deployments.ts';
import type { Deployment, Diff, Website } from '../../api/wire.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import type { DeployRequest } from './deploy-dialog.tsx';
import { type Removals, removalsIn } from './removals.ts';

export type DeployActions = ReturnType<typeof createActions>;

interface Action {
  /** the toast of a success */
  text: string;
  failure: string;
  /** the verb of a button */
  verb: string;
  send: (maxRemovals: number, note: string | undefined) => Promise<unknown>;
  /** a version to roll back to, with the number of redirects that this removes */
  undo?: { version: number; removed: number } | undefined;
}

interface ActionContext {
  website: Website;
  environment: Environment;
  liveVersion: number | null;
  /** the shown counts of a deployment */
  changes: Diff['counts'] | undefined;
  /** asks for a note first */
  request: (request: DeployRequest) => void;
  ask: (removals: Removals) => void;
  changed: () => void;
}

/**
 * Actions that change an environment, each with a note. If more live redirects would be removed than the screen shows,
 * `ask` gets their number and the way to continue. A rollback undoes each action.
 */
export function createActions({ website, environment, liveVersion, changes, request, ask, changed }: ActionContext) {
  const name = ENVIRONMENT_LABEL[environment].toLowerCase();
  const target = { website_id: website.id, environment };
  const undoTo = (removed: number) => (liveVersion === null ? undefined : { version: liveVersion, removed });
  const rollback = (version: number): Action => ({
    text: `Rolling back ${name} to version ${version}`,
    failure: 'Could not roll back',
    verb: 'Roll back',
    send: (max_removals, note) => rollBack({ ...target, version, max_removals, note }),
    undo: undoTo(0),
  });
  const run = createRun({ ask, changed, rollback });
  return {
    rollBackTo(version: number): void {
      request({
        title: `Roll back to version ${version}`,
        verb: 'Roll back',
        text: `Publishes its rules to ${name} again, and stops automatic deployments until the next Deploy.`,
        send: (note) => run(rollback(version), 0, note),
      });
    },
    deploy(): void {
      const action: Action = {
        text: `Deploying to ${name}`,
        failure: 'Could not deploy',
        verb: 'Deploy',
        send: (max_removals, note) => deploy({ ...target, max_removals, note }),
        undo: undoTo(changes?.added ?? 0),
      };
      request({
        title: `Deploy to ${name}`,
        verb: 'Deploy',
        text: 'Publishes the current redirects.',
        send: (note) => run(action, changes?.removed ?? 0, note),
      });
    },
    force: (failed: Deployment): void =>
      request({
        title: `Deploy to ${name} anyway?`,
        verb: 'Deploy anyway',
        text: 'Expectations are not checked for this deployment. The history marks it as forced.',
        send: (note) => run(forcedAction(failed, undoTo(0)), changes?.removed ?? 0, note),
      }),
    promoteTo(to: Environment): void {
      const target = ENVIRONMENT_LABEL[to].toLowerCase();
      const action: Action = {
        text: `Promoting ${name} to ${target}`,
        failure: 'Could not promote',
        verb: 'Promote',
        send: (max_removals, note) => promote({ website_id: website.id, from: environment, to, max_removals, note }),
      };
      request({
        title: `Promote to ${target}`,
        verb: 'Promote',
        text: `Publishes what is live in ${name} to ${target}, and stops automatic deployments there until the next Deploy.`,
        send: (note) => run(action, 0, note),
      });
    },
  };
}

/** Returns a function that sends an action, and reports its result. `rollback`: the action of an Undo. */
function createRun({
  ask,
  changed,
  rollback,
}: Pick<ActionContext, 'ask' | 'changed'> & { rollback: (version: number) => Action }) {
  /** `shown`: how many removed redirects the user knows of. Throws if the note is not valid. */
  return async function run(action: Action, shown: number, note?: string): Promise<void> {
    const { text, failure, verb, send, undo } = action;
    try {
      await send(shown, note || undefined);
      toast(text, undo && { label: 'Undo', run: () => void run(rollback(undo.version), undo.removed) });
    } catch (thrown) {
      const found = thrown instanceof ApiError ? removalsIn(thrown) : undefined;
      if (thrown instanceof ApiError && thrown.issueOf('note') !== undefined) throw thrown;
      if (found) ask({ ...found, shown, verb, proceed: () => run(action, found.removed, note) });
      else toastError(thrown, failure);
    }
    changed();
  };
}

/** The same deployment, rollback or promotion again, without a check of the expectations. */
function forcedAction({ website_id, environment, kind, source }: Deployment, undo: Action['undo']): Action {
  return {
    text: `Deploying to ${ENVIRONMENT_LABEL[environment].toLowerCase()}`,
    failure: 'Could not deploy',
    verb: 'Deploy anyway',
    undo,
    send(max_removals, note) {
      const guarded = { website_id, max_removals, note, force: true };
      if (kind === 'rollback' && source) return rollBack({ ...guarded, environment, version: source.version });
      if (kind === 'promote' && source) return promote({ ...guarded, from: source.environment, to: environment });
      return deploy({ ...guarded, environment });
    },
  };
}

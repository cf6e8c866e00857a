import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { ApiError } from '../../api/api-error.ts';
import { deploy, promote, rollBack } from '../../api/deployments.ts';
import type { Diff, Website } from '../../api/wire.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { type Removals, removalsIn } from './removals.ts';

export type DeployActions = ReturnType<typeof createActions>;

interface Action {
  /** the toast of a success */
  text: string;
  failure: string;
  /** the verb of a button */
  verb: string;
  send: (maxRemovals: number) => Promise<unknown>;
  /** a version to roll back to, with the number of redirects that this removes */
  undo?: { version: number; removed: number } | undefined;
}

interface ActionContext {
  website: Website;
  environment: Environment;
  liveVersion: number | null;
  /** the shown counts of a deployment */
  changes: Diff['counts'] | undefined;
  ask: (removals: Removals) => void;
  changed: () => void;
}

/**
 * Actions that change an environment. A rollback undoes each, so none asks for confirmation, except if more live
 * redirects would be removed than the screen shows: `ask` then gets their number and the way to continue.
 */
export function createActions({ website, environment, liveVersion, changes, ask, changed }: ActionContext) {
  /** `shown`: how many removed redirects the user knows of. */
  async function run(action: Action, shown: number): Promise<void> {
    const { text, failure, verb, send, undo } = action;
    try {
      await send(shown);
      toast(text, undo && { label: 'Undo', run: () => rollBackTo(undo.version, undo.removed) });
    } catch (thrown) {
      const found = thrown instanceof ApiError ? removalsIn(thrown) : undefined;
      if (found) ask({ ...found, shown, verb, proceed: () => run(action, found.removed) });
      else toastError(thrown, failure);
    }
    changed();
  }
  const name = ENVIRONMENT_LABEL[environment].toLowerCase();
  const target = { website_id: website.id, environment };
  const undoTo = (removed: number) => (liveVersion === null ? undefined : { version: liveVersion, removed });
  function rollBackTo(version: number, removed = 0): void {
    const action = {
      text: `Rolling back ${name} to version ${version}`,
      failure: 'Could not roll back',
      verb: 'Roll back',
      send: (max_removals: number) => rollBack({ ...target, version, max_removals }),
      undo: undoTo(0),
    };
    void run(action, removed);
  }
  return {
    rollBackTo,
    deploy(): void {
      const action = {
        text: `Deploying to ${name}`,
        failure: 'Could not deploy',
        verb: 'Deploy',
        send: (max_removals: number) => deploy({ ...target, max_removals }),
        undo: undoTo(changes?.added ?? 0),
      };
      void run(action, changes?.removed ?? 0);
    },
    promoteTo(to: Environment): void {
      const action = {
        text: `Promoting ${name} to ${ENVIRONMENT_LABEL[to].toLowerCase()}`,
        failure: 'Could not promote',
        verb: 'Promote',
        send: (max_removals: number) => promote({ website_id: website.id, from: environment, to, max_removals }),
      };
      void run(action, 0);
    },
  };
}

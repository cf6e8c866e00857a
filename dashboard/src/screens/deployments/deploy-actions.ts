import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { deploy, promote, rollBack } from '../../api/deployments.ts';
import type { Website } from '../../api/wire.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';

export type DeployActions = ReturnType<typeof createActions>;

/** Actions that change an environment. A rollback undoes each, so none asks for confirmation. */
export function createActions({
  website,
  environment,
  liveVersion,
  changed,
}: {
  website: Website;
  environment: Environment;
  liveVersion: number | null;
  changed: () => void;
}) {
  async function run(text: string, failure: string, send: () => Promise<unknown>, undoTo?: number): Promise<void> {
    try {
      await send();
      toast(text, undoTo === undefined ? undefined : { label: 'Undo', run: () => rollBackTo(undoTo) });
    } catch (thrown) {
      toastError(thrown, failure);
    }
    changed();
  }
  const name = ENVIRONMENT_LABEL[environment].toLowerCase();
  const target = { website_id: website.id, environment };
  function rollBackTo(version: number): void {
    const text = `Rolling back ${name} to version ${version}`;
    void run(text, 'Could not roll back', () => rollBack({ ...target, version }), liveVersion ?? undefined);
  }
  return {
    rollBackTo,
    deploy: (): void =>
      void run(`Deploying to ${name}`, 'Could not deploy', () => deploy(target), liveVersion ?? undefined),
    promoteTo(to: Environment): void {
      const text = `Promoting ${name} to ${ENVIRONMENT_LABEL[to].toLowerCase()}`;
      void run(text, 'Could not promote', () => promote({ website_id: website.id, from: environment, to }));
    },
  };
}

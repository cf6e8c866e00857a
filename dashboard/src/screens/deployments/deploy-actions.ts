import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { deploy, promote, rollBack } from '../../api/deployments.ts';
import type { Website } from '../../api/wire.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';

export type DeployActions = ReturnType<typeof createActions>;

/** What changes an environment. Each can be taken back by a rollback, so none is asked about first. */
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
  async function run(
    doing: string,
    told: string,
    work: () => Promise<unknown>,
    undoTo?: number,
  ): Promise<void> {
    try {
      await work();
      toast(told, undoTo === undefined ? undefined : { label: 'Undo', run: () => rollBackTo(undoTo) });
    } catch (thrown) {
      toastError(thrown, doing);
    }
    changed();
  }
  const where = ENVIRONMENT_LABEL[environment].toLowerCase();
  const of = { website_id: website.id, environment };
  function rollBackTo(version: number): void {
    const told = `Rolling ${where} back to version ${version}`;
    void run('Rolling back', told, () => rollBack({ ...of, version }), liveVersion ?? undefined);
  }
  return {
    rollBackTo,
    deploy: (): void =>
      void run('Deploying', `Deploying to ${where}`, () => deploy(of), liveVersion ?? undefined),
    promoteTo(to: Environment): void {
      const told = `Promoting what is live in ${where} to ${ENVIRONMENT_LABEL[to].toLowerCase()}`;
      void run('Promoting', told, () => promote({ website_id: website.id, from: environment, to }));
    },
  };
}

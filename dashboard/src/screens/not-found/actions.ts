/** What can be done with a path that nobody serves; each is done at once, and Undo takes it back. */
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { ignorePaths } from '../../api/not-found.ts';
import { createRedirect, deleteRedirect } from '../../api/redirects.ts';
import type { MissingPath } from '../../api/wire.ts';
import { toast, toastError } from '../../state/toasts.ts';
import type { Pages } from '../../state/use-pages.ts';

export interface Inbox {
  websiteId: number;
  environment: Environment;
  pages: Pages<MissingPath>;
}

export interface Target {
  /** null: a status without target */
  new_path: string | null;
  status_code: number;
}

/** Makes a redirect of the path and puts the path aside, as it is dealt with. Rejects with what is wrong with it. */
export async function redirectPath(inbox: Inbox, missing: MissingPath, target: Target): Promise<void> {
  const { websiteId, environment } = inbox;
  const { redirect } = await createRedirect({
    website_id: websiteId,
    old_path: missing.path,
    ...target,
    is_regex: false,
    group_id: null,
    notes: null,
    target_environments: environment,
  });
  const putBack = take(inbox, missing);
  const aside = { paths: [missing.path], environment };
  await ignorePaths(websiteId, { ...aside, ignored: true }).catch((thrown: unknown) =>
    toastError(thrown, 'Putting the path aside'),
  );
  async function undo(): Promise<void> {
    await deleteRedirect(redirect.id);
    await ignorePaths(websiteId, { ...aside, ignored: false });
    putBack();
  }
  const what = target.new_path === null ? `answers ${target.status_code}` : `leads to ${target.new_path}`;
  toast(`${missing.path} ${what}`, { label: 'Undo', run: () => attempt(undo(), 'Undoing') });
}

/** The same where there is no form that could say what went wrong. */
export function takeSuggestion(inbox: Inbox, missing: MissingPath, newPath: string): void {
  attempt(redirectPath(inbox, missing, { new_path: newPath, status_code: 301 }), 'Creating the redirect');
}

/** Puts the path aside in this environment, or back into the inbox. */
export function setIgnored(inbox: Inbox, missing: MissingPath, ignored: boolean): void {
  const { websiteId, environment } = inbox;
  const write = (isIgnored: boolean) =>
    ignorePaths(websiteId, { paths: [missing.path], environment, ignored: isIgnored });
  const putBack = take(inbox, missing);
  write(ignored).then(
    () =>
      toast(ignored ? 'Put aside' : 'Back in the inbox', {
        label: 'Undo',
        run: () => attempt(write(!ignored).then(putBack), 'Undoing'),
      }),
    (thrown: unknown) => {
      putBack();
      toastError(thrown, ignored ? 'Putting aside' : 'Putting back');
    },
  );
}

function attempt(doing: Promise<unknown>, name: string): void {
  doing.catch((thrown: unknown) => toastError(thrown, name));
}

/** Takes the row out of what is shown; the answer puts it back where it was. */
function take({ pages: { rows } }: Inbox, missing: MissingPath): () => void {
  const at = rows.value?.indexOf(missing) ?? -1;
  rows.value = rows.value?.filter((row) => row !== missing);
  return () => {
    if (at >= 0) rows.value = (rows.value ?? []).toSpliced(at, 0, missing);
  };
}

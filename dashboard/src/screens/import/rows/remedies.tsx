import type { FileImported, Website } from '../../../api/client/wire.ts';
import { websiteOf } from '../../../asked-url.ts';
import { counted } from '../../../format.ts';
import { go } from '../../../router.ts';
import { pastedRows } from '../../../state/browser.ts';
import { mayEdit } from '../../../state/session.ts';
import { allowTargetHosts, websites } from '../../../state/websites.ts';
import { ActionButton, Button } from '../../../ui/button.tsx';
import type { FileImport } from '../file-import.ts';
import { foreignHost, isMissingSlash } from './row-words.ts';

const SHOWN_HOSTS = 5;

/** Fixes for problems that many rows share, with one click. */
export function Remedies({ work, checked, skipped }: { work: FileImport; checked: FileImported; skipped: number }) {
  const countOf = (code: string): number => checked.error_counts.find((each) => each.code === code)?.count ?? 0;
  const listed = checked.errors.filter(({ code }) => code === 'INVALID_OLD_PATH');
  // The response lists only the first errors: sources beyond them may lack a slash too.
  const lackSlash =
    checked.columns.length > 0 &&
    (listed.some(({ message }) => isMissingSlash(message)) || countOf('INVALID_OLD_PATH') > listed.length);
  const wildcards = countOf('AMBIGUOUS_WILDCARD');
  return (
    <ul class="stack gap-2 remedies" aria-live="polite">
      {lackSlash && (
        <li>
          <Button size="small" onClick={() => work.setOptions({ add_slash: true })}>
            Add a leading / to sources without one
          </Button>
        </li>
      )}
      {skipped > 0 && (
        <li>
          <Button size="small" onClick={() => work.setOptions({ on_conflict: 'update' })}>
            Also update existing redirects
          </Button>
        </li>
      )}
      {wildcards > 0 && (
        <li>
          {counted(wildcards, 'row')} may have a wildcard, such as * or :name.{' '}
          <Button size="small" onClick={() => work.setOptions({ wildcards: 'convert' })}>
            Treat as wildcards
          </Button>{' '}
          <Button size="small" onClick={() => work.setOptions({ wildcards: 'literal' })}>
            Treat as text
          </Button>
        </li>
      )}
      {othersNamedIn(checked, work.websiteId).map((website) => (
        <li key={website.id}>
          <Button size="small" onClick={() => importInto(website, work)}>
            Import the file into {website.name}
          </Button>
        </li>
      ))}
      {checked.hosts_not_allowed.length > 0 && <AllowHosts work={work} hosts={checked.hosts_not_allowed} />}
    </ul>
  );
}

/** Other websites whose hosts the rows or blocks of the file name. */
function othersNamedIn({ errors }: FileImported, websiteId: number): Website[] {
  const hosts = errors.flatMap(({ message }) => foreignHost(message) ?? []);
  const found = hosts.flatMap((host) => websiteOf(host, websites.value ?? [])?.website ?? []);
  return [...new Set(found)].filter(({ id }) => id !== websiteId);
}

function importInto({ id }: Website, work: FileImport): void {
  pastedRows.file = work.file.value;
  // Nothing is lost, so nothing is asked.
  work.reset();
  go(`/websites/${id}/import`);
}

/** Adds the hosts of the targets to those that the website allows, then checks the file again. */
function AllowHosts({ work, hosts }: { work: FileImport; hosts: FileImported['hosts_not_allowed'] }) {
  const rows = hosts.reduce((sum, { count }) => sum + count, 0);
  const names = hosts.map(({ host }) => host);
  const more = names.length > SHOWN_HOSTS ? ` and ${names.length - SHOWN_HOSTS} more` : '';
  const verb = names.length === 1 ? 'Allow it' : names.length === 2 ? 'Allow both' : `Allow all ${names.length}`;
  async function allow(): Promise<void> {
    await allowTargetHosts(work.websiteId, names);
    work.check();
  }
  return (
    <li>
      {counted(rows, 'row redirects', 'rows redirect')} to {counted(names.length, 'host')} that the website does not
      allow: <span class="break">{names.slice(0, SHOWN_HOSTS).join(', ') + more}</span>.{' '}
      {mayEdit.value && (
        <ActionButton size="small" onAct={allow} failure="Could not allow the hosts">
          {verb} and check again
        </ActionButton>
      )}
    </li>
  );
}

import './import.css';
import { useEffect, useMemo } from 'preact/hooks';
import type { Website } from '../../api/client/wire.ts';
import type { Params } from '../../router.ts';
import { pastedRows, useBackOnline, usePaste } from '../../state/browser.ts';
import { mayEdit } from '../../state/session.ts';
import { useWebsite } from '../../state/websites.ts';
import { useUnsaved } from '../../state/unsaved.ts';
import { Page } from '../../ui/page/page.tsx';
import { Checked } from './rows/checked.tsx';
import { createFileImport, type FileImport } from './file-import.ts';
import { Done } from './done.tsx';
import { DropZone } from './file/drop-zone.tsx';
import { pastedFile, useFileDrop } from './file/offered-file.ts';
import { Progress } from './progress.tsx';
import { RecentImports } from './recent-imports.tsx';

/** Imports a file: all rows are checked first, then imported together. */
export function ImportScreen({ params }: { params: Params }) {
  const website = useWebsite(params);
  return website ? <ImportInto website={website} /> : null;
}

function ImportInto({ website }: { website: Website }) {
  const work = useMemo(() => createFileImport(website), [website.id]);
  useEffect(() => work.leave, [work]);
  const discard = useUnsaved(work.hasEdits);
  useBackOnline(() => work.step.value === 'checked' && work.error.value?.status === 0 && work.check());
  useCloseWarning(work);
  const { file, step, done } = work;
  const isOver = useFileDrop((dropped) => {
    if (step.value !== 'importing') discard(() => work.choose(dropped));
  });
  usePaste((text, pasted = text.trim() === '' ? undefined : pastedFile(text)) => {
    if (pasted && (!file.value || work.problem.value || step.value === 'done')) work.choose(pasted);
  });
  useEffect(() => {
    const { text, file: offered } = pastedRows;
    Object.assign(pastedRows, { text: undefined, file: undefined });
    if (text !== undefined) work.choose(pastedFile(text));
    else if (offered) work.choose(offered);
  }, [work]);
  return (
    <Page
      title="Import"
      lead={
        <>
          Import redirects into {website.name}. You review every row before anything changes.{' '}
          {!mayEdit.value && <span class="badge warn">Read only</span>}
        </>
      }
    >
      {!file.value && <DropZone isOver={isOver.value} onFile={work.choose} />}
      {!file.value && <RecentImports website={website} />}
      {file.value && step.value !== 'done' && (
        <Checked work={work} file={file.value} onAnother={() => discard(work.reset)} />
      )}
      {(step.value === 'checking' || step.value === 'importing') && <Progress work={work} />}
      {step.value === 'done' && done.value && <Done website={website} work={work} result={done.value} />}
    </Page>
  );
}

/** Closing the tab ends an import in progress. */
function useCloseWarning({ step }: FileImport): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (step.value === 'importing') event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [step]);
}

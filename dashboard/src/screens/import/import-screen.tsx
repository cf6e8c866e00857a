import './import.css';
import { useEffect, useMemo } from 'preact/hooks';
import type { Website } from '../../api/wire.ts';
import type { Params } from '../../router.ts';
import { useWebsite } from '../../state/websites.ts';
import { useUnsaved } from '../../state/unsaved.ts';
import { Page } from '../../ui/page.tsx';
import { Checked } from './checked.tsx';
import { createFileImport } from './file-import.ts';
import { Done } from './done.tsx';
import { DropZone } from './drop-zone.tsx';
import { Progress } from './progress.tsx';
import { RecentImports } from './recent-imports.tsx';

/** Imports a CSV file: all rows are checked first, then imported together. */
export function ImportScreen({ params }: { params: Params }) {
  const website = useWebsite(params);
  return website ? <ImportInto website={website} /> : null;
}

function ImportInto({ website }: { website: Website }) {
  const work = useMemo(() => createFileImport(website.id), [website.id]);
  useEffect(() => work.reset, [work]);
  useUnsaved(() => work.step.value !== 'done' && Object.keys(work.corrections.value).length > 0);
  const { file, step, checked, done, error } = work;
  return (
    <Page title="Import" lead={`Import redirects into ${website.name}. You review every row before anything changes.`}>
      {!file.value && <DropZone onFile={work.choose} />}
      {!file.value && <RecentImports website={website} />}
      {file.value && step.value !== 'done' && (
        <Checked work={work} file={file.value} checked={checked.value} error={error.value} />
      )}
      {(step.value === 'checking' || step.value === 'importing') && <Progress work={work} />}
      {step.value === 'done' && done.value && (
        <Done website={website} result={done.value} since={work.startedAt.value} onAnother={work.reset} />
      )}
    </Page>
  );
}

import { useRef } from 'preact/hooks';
import { BROKEN_TARGETS } from '../../../../src/vocabulary/checks.ts';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { testUrls } from '../../api/redirects.ts';
import { flattenChains, previewFlatten } from '../../api/checks.ts';
import type { Flattened, ResolvedUrls, Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { Loaded, Notice, Problem } from '../../ui/page/states.tsx';
import { undoAction } from '../../ui/undo-change.ts';
import { activityUrl, environmentUrl } from '../../urls.ts';

/** The paths of changed redirects whose chain ends at a target that the last live check found broken. */
const endingBroken = ({ results }: ResolvedUrls): string[] =>
  results.flatMap(({ url, final_target: target }) =>
    BROKEN_TARGETS.some((state) => state === target?.state) ? [url] : [],
  );

/** Lines of the preview; the service lists up to 1,000 changes. */
const MAX_CHANGES = 200;

/**
 * The result that flattening would have, before anyone asks for it. Undefined until it is known, and after an error. Read
 * again with each new report.
 */
export function useFlattenPreview(
  websiteId: number,
  environment: Environment,
  report: readonly object[] | undefined,
): Flattened | undefined {
  const [first] = report ?? [];
  const found = useRef({ first, reads: 0 });
  if (found.current.first !== first) found.current = { first, reads: found.current.reads + 1 };
  const key = first && `${websiteId} ${environment} ${found.current.reads}`;
  return useAnswer(key, (signal) => previewFlatten(websiteId, { environment }, signal), 0).answer;
}

/** Says that no chain can be flattened, and why. */
export function NotFlattened({ result }: { result: Flattened }) {
  return (
    <section class="card" aria-label="Flatten chains">
      <div class="body">
        <p>No chain can be flattened safely.</p>
        <Reasons result={result} />
      </div>
    </section>
  );
}

export function Flatten(props: {
  website: Website;
  environment: Environment;
  /** the first redirects of the chains; none: all chains */
  ids: readonly number[];
  onDone: () => void;
  onClose: () => void;
}) {
  const { website, environment, ids, onDone, onClose } = props;
  const scope = { environment, redirect_ids: ids.length > 0 ? [...ids] : undefined };
  const preview = useResource(`flatten:${website.id}:${environment}:${ids.join()}`, (signal) =>
    previewFlatten(website.id, scope, signal),
  );
  const updates = preview.data.value?.updated ?? 0;
  async function send(): Promise<void> {
    const { updated, change_id: changeId } = await flattenChains(website.id, scope);
    onClose();
    onDone();
    toast(`${counted(updated, 'redirect')} flattened`, undoAction(changeId, { onUndone: onDone }));
  }
  return (
    <FormDialog
      title={`Flatten chains in ${environment}`}
      verb={updates > 0 ? `Flatten ${counted(updates, 'redirect')}` : 'Flatten'}
      isReady={updates > 0}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Loaded of={preview} lines={4} height={16}>
            {(result) => <Preview result={result} website={website} environment={environment} />}
          </Loaded>
          {error && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}

function goesLiveText(website: Website, environment: Environment): string {
  const isAutomatic = website.auto_deploy && !website.held_environments.includes(environment);
  const isGated = [...website.gated_environments, ...website.url_gate].includes(environment);
  if (!isAutomatic) return 'The change goes live with the next deployment.';
  return isGated ? 'The change goes live if the checks before a deployment pass.' : 'The change goes live immediately.';
}

interface PreviewProps {
  result: Flattened;
  website: Website;
  environment: Environment;
}

function Preview({ result, website, environment }: PreviewProps) {
  const { updated, left_count: left } = result;
  return (
    <>
      {updated > 0 && (
        <p>
          {updated === 1
            ? '1 redirect will point directly to the end of its chain, as far as that is safe, and keep its status.'
            : `${number(updated)} redirects will point directly to the end of their chains, as far as that is safe, and keep their status.`}{' '}
          Visitors end at the same targets as before. {goesLiveText(website, environment)} You can undo it for 30 days
          in <a href={activityUrl(website.id)}>Activity</a>.
        </p>
      )}
      {updated > 0 && <BrokenEnds result={result} website={website} environment={environment} />}
      {updated > 0 && <FlattenChanges result={result} />}
      {updated === 0 && <p>No chain can be flattened safely.</p>}
      {left > 0 && (
        <div>
          <h3>{counted(left, 'chain remains', 'chains remain')}</h3>
          <Reasons result={result} />
        </div>
      )}
    </>
  );
}

/** Flattening shortens the way to a broken target, and repairs nothing. */
function BrokenEnds({ result, website, environment }: PreviewProps) {
  const paths = result.changes?.map(({ old_path: path }) => path) ?? [];
  const { data } = useResource(`flatten-ends:${website.id}:${environment}:${paths.join('\n')}`, async () => {
    if (paths.length === 0) return [];
    return endingBroken(await testUrls({ website_id: website.id, environment, against: 'draft', urls: paths }));
  });
  const broken = data.value ?? [];
  if (broken.length === 0) return null;
  return (
    <Notice>
      {result.updated > paths.length && 'At least '}
      {counted(broken.length, 'of them ends', 'of them end')} at a broken target, such as{' '}
      <span class="mono break">{broken[0]}</span>. Change the target instead:{' '}
      <a href={environmentUrl(`/websites/${website.id}/health`, environment)}>Health</a> lists broken targets.
    </Notice>
  );
}

function Reasons({ result }: { result: Flattened }) {
  const { left, left_count: count } = result;
  return (
    <>
      <ul class="stack">
        {reasonsOf(result).map(({ message, count: times }) => (
          <li key={message} class="row top">
            <span class="badge">{number(times)}</span> {message}
          </li>
        ))}
      </ul>
      {count > left.length && <p class="small muted">Reasons of the first {number(left.length)} chains.</p>}
    </>
  );
}

function FlattenChanges({ result: { changes = [], updated } }: { result: Flattened }) {
  const hidden = updated - Math.min(changes.length, MAX_CHANGES);
  return (
    <div>
      <h3>Changes</h3>
      <ul class="diff" aria-label="Changes" tabIndex={0}>
        {changes.slice(0, MAX_CHANGES).map(({ redirect_id: id, old_path: path, before, after }) => (
          <li key={id} class="changed">
            <span aria-hidden="true">~</span>
            <span class="break">
              {path} <span class="muted">→</span> <del>{before}</del> {after}
            </span>
          </li>
        ))}
      </ul>
      {hidden > 0 && <p class="small muted">and {number(hidden)} more</p>}
    </div>
  );
}

/** Why chains remain, the most frequent reason first. */
function reasonsOf({ left }: Flattened): { message: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { message } of left) counts.set(message, (counts.get(message) ?? 0) + 1);
  return [...counts].map(([message, count]) => ({ message, count })).toSorted((a, b) => b.count - a.count);
}

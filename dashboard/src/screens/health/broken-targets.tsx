import { useSignal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listBrokenTargets } from '../../api/checks.ts';
import { listLiveChecks } from '../../api/live-checks.ts';
import type { BrokenTarget, Website } from '../../api/client/wire.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { query } from '../../router.ts';
import { mayEdit } from '../../state/session.ts';
import { LinkButton } from '../../ui/button.tsx';
import { QueryToken } from '../../ui/form/query-fields.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { useSelection } from '../../ui/list/use-selection.ts';
import { Empty } from '../../ui/page/states.tsx';
import { BrokenBar } from './broken-bar.tsx';
import { byTarget } from './broken-groups.ts';
import { GroupCells, MemberCells, RowCells } from './broken-row.tsx';
import { ChangeTarget } from './change-target.tsx';
import { isUnchecked } from './view.ts';

const PAGE_SIZE = 100;
/** Until suggestions are computed. */
const PENDING_MS = 4_000;

const OPEN = { keys: 'Enter', label: 'Open the redirect' };
const SELECT = { keys: 'x', label: 'Select the redirect (also Space; Shift with arrows and Ctrl+A select several)' };

interface Props {
  website: Website;
  environment: Environment;
  /** no check has asked targets */
  isNotChecked: boolean | undefined;
  /** a redirect has another target, so the counts are others */
  onChanged: () => void;
}

/** The redirects by broken target, and which are selected. */
function useBroken({ website, environment, onChanged }: Props) {
  const isPending = useSignal(false);
  const target = query.value.get('target') || undefined;
  const key = `broken-targets:${website.id}:${environment}:${target ?? ''}`;
  const pages = usePages(
    key,
    (cursor, signal) => listBrokenTargets(website.id, { environment, target, cursor, limit: PAGE_SIZE }, signal),
    ({ targets, pending }) => {
      isPending.value = pending;
      return targets;
    },
    { everyMs: isPending.value ? PENDING_MS : undefined },
  );
  function reload(): void {
    pages.reload();
    onChanged();
  }
  const groups = byTarget(pages.data.value ?? []);
  const rows = groups.flat();
  const shared = new Map(
    groups.filter(({ length }) => length > 1).flatMap((group) => group.map((each) => [each, group])),
  );
  const selection = useSelection(
    key,
    rows.map(({ redirect_id: id }) => id),
  );
  return {
    isPending: isPending.value,
    target,
    list: { environment, pages, reload, onChanged },
    rows,
    shared,
    selection,
  };
}

/** Redirects whose target does not work, with other pages for them. Those with one target are a group. */
export function BrokenTargets(props: Props) {
  const { website } = props;
  const { isPending, target, list, rows, shared, selection } = useBroken(props);
  const changing = useSignal<readonly BrokenTarget[] | undefined>(undefined);
  const context = { website, list, selection };
  return (
    <>
      {target !== undefined && (
        <div class="actions">
          <QueryToken name="target" label={`Target ${target}`} />
        </div>
      )}
      {isPending && <p class="small muted">Suggestions are being computed.</p>}
      {mayEdit.value && <BrokenBar list={list} rows={rows} selection={selection} />}
      <ResourceList
        list={list.pages}
        rows={rows}
        class="broken-targets"
        label="Broken targets"
        selection={mayEdit.value ? selection : undefined}
        keys={mayEdit.value ? [OPEN, SELECT] : [OPEN]}
        keyOf={({ redirect_id: id }) => id}
        headOf={(found) => {
          const group = shared.get(found);
          return (
            group?.[0] === found && <GroupCells {...context} group={group} onChange={() => (changing.value = group)} />
          );
        }}
        cells={(found) =>
          shared.has(found) ? (
            <MemberCells {...context} found={found} />
          ) : (
            <RowCells {...context} found={found} onChange={() => (changing.value = [found])} />
          )
        }
        empty={
          <Empty
            icon="check"
            title={props.isNotChecked ? 'Not checked yet' : target === undefined ? 'No broken targets' : 'Not broken'}
            actions={<ChecksLink website={website} />}
          >
            Only a live check finds broken targets: run one of the kind Targets, or let Settings start one every day or
            week.
          </Empty>
        }
      />
      {changing.value && (
        <ChangeTarget list={list} found={changing.value} onClose={() => (changing.value = undefined)} />
      )}
    </>
  );
}

export const ChecksLink = ({ website }: { website: Website }) => (
  <LinkButton href={`/websites/${website.id}/checks`}>Go to live checks</LinkButton>
);

/** Checks that are read: the last one of a kind and environment that has asked all targets is always kept. */
const CHECKS = 100;

/**
 * Whether no live check has asked targets of the environment; undefined while that is read.
 * `broken`: of the report; above 0 nothing is read.
 */
export function useUnchecked(websiteId: number, environment: Environment, broken: number | undefined) {
  const { data } = useResource(`checked:${websiteId}:${environment}:${broken === 0}`, async (signal) =>
    broken === 0 ? isUnchecked(await listLiveChecks(websiteId, { limit: CHECKS }, signal), environment) : false,
  );
  return data.value;
}

import './health.css';
import { useRef } from 'preact/hooks';
import { fetchHealth } from '../../api/checks.ts';
import type { HealthPage, Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { query, closeQuery, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayEdit, planHas } from '../../state/session.ts';
import { type Pages, usePages } from '../../state/resource/use-pages.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Empty, Loaded } from '../../ui/page/states.tsx';
import { type RowSelection, useSelection } from '../../ui/list/use-selection.ts';
import { Tabs } from '../../ui/page/tabs.tsx';
import { BrokenTargets, ChecksLink, useUnchecked } from './broken-targets.tsx';
import { RedirectPanel } from '../redirects/panel.ts';
import { FindingList } from './finding-list.tsx';
import { Flatten, NotFlattened, useFlattenPreview } from './flatten.tsx';
import { environmentIn } from '../../urls.ts';
import { Unused } from './unused.tsx';
import { FINDING_HELP, FINDING_LABEL, findingIn, FINDINGS, findingUrl, isUnused } from './view.ts';

const LEAD = 'Problems with the current redirects, including undeployed changes.';

const openFlatten = (): void => setQuery({ do: 'flatten' });

/** Loops, broken targets, chains, shadowed patterns and duplicates of an environment. */
export function HealthScreen({ website }: { website: Website }) {
  const environment = environmentIn(query.value);
  const pages = usePages(
    `health:${website.id}:${environment}`,
    (cursor, signal) => fetchHealth(website.id, { environment, cursor }, signal),
    (page) => [page],
  );
  const counts = pages.data.value?.[0]?.counts;
  const finding =
    counts && !isUnused(query.value) && FINDINGS.some((each) => counts[each] > 0)
      ? findingIn(query.value, counts)
      : undefined;
  const mayFlatten = mayEdit.value && finding === 'chains' && Boolean(counts?.chains);
  const preview = useFlattenPreview(website.id, environment, mayFlatten ? pages.data.value : undefined);
  const canFlatten = mayFlatten && preview?.updated !== 0;
  const chains = pages.data.value?.flatMap((page) => page.chains.map(({ redirect_id: id }) => id)) ?? [];
  const selection = useSelection(`${website.id} ${environment}`, chains);
  const { length: chosen } = selection.keys;
  useKeys(canFlatten ? [{ keys: 'f', label: 'Flatten chains', run: openFlatten }] : []);
  return (
    <Page
      title="Health"
      lead={
        <>
          {finding && counts?.[finding] ? FINDING_HELP[finding] : LEAD}{' '}
          {!mayEdit.value && <span class="badge warn">Read only</span>}
        </>
      }
      actions={
        canFlatten && (
          <Button kind="primary" keys="F" onClick={openFlatten}>
            {chosen === 0 ? 'Flatten chains' : `Flatten ${counted(chosen, 'chain')}`}
          </Button>
        )
      }
    >
      {mayFlatten && preview?.updated === 0 && <NotFlattened result={preview} />}
      <Loaded of={pages} lines={8} height={22}>
        {([first]) => first && <Findings {...{ website, pages, selection }} counts={first.counts} />}
      </Loaded>
      {query.value.get('do') === 'flatten' && canFlatten && (
        <Flatten
          website={website}
          environment={environment}
          ids={selection.keys}
          onDone={pages.reload}
          onClose={() => closeQuery('do')}
        />
      )}
    </Page>
  );
}

interface FindingsProps {
  website: Website;
  counts: HealthPage['counts'];
  pages: Pages<HealthPage>;
  /** of chains */
  selection: RowSelection<number>;
}

function Findings({ website, counts, pages, selection }: FindingsProps) {
  const isNotChecked = useUnchecked(website.id, environmentIn(query.value), counts.broken_targets);
  const opener = useRef<Element>(undefined);
  const edited = Number(query.value.get('edit'));
  const isOther = isUnused(query.value);
  if (!isOther && FINDINGS.every((each) => counts[each] === 0))
    return <NoFindings website={website} isNotChecked={isNotChecked} />;
  const finding = isOther ? undefined : findingIn(query.value, counts);
  return (
    <>
      <FindingTabs counts={counts} isNotChecked={isNotChecked} />
      {finding === undefined && <Unused website={website} environment={environmentIn(query.value)} />}
      {finding === 'broken_targets' && (
        <BrokenTargets
          website={website}
          environment={environmentIn(query.value)}
          isNotChecked={isNotChecked}
          onChanged={pages.reload}
        />
      )}
      {finding !== undefined && finding !== 'broken_targets' && (
        <FindingList
          key={finding}
          websiteId={website.id}
          finding={finding}
          pages={pages}
          selection={mayEdit.value && finding === 'chains' ? selection : undefined}
          onEdit={(id, from) => {
            opener.current = from;
            RedirectPanel.open(() => setQuery({ edit: String(id) }));
          }}
        />
      )}
      {mayEdit.value && edited > 0 && (
        <RedirectPanel
          website={website}
          id={edited}
          onChanged={pages.reload}
          nextFocus={() => opener.current?.closest<HTMLElement>('[data-row]') ?? undefined}
          onClose={() => closeQuery('edit')}
        />
      )}
    </>
  );
}

function FindingTabs({ counts, isNotChecked }: { counts: HealthPage['counts']; isNotChecked: boolean | undefined }) {
  const isOther = isUnused(query.value);
  return (
    <Tabs
      label="Findings"
      tabs={[
        ...FINDINGS.map((each) => ({
          href: findingUrl(each, query.value),
          isCurrent: !isOther && each === findingIn(query.value, counts),
          label: (
            <>
              {FINDING_LABEL[each]}{' '}
              <span class={counts[each] > 0 ? 'badge warn' : 'badge'}>
                {each === 'broken_targets' && isNotChecked ? 'not checked yet' : number(counts[each])}
              </span>
            </>
          ),
        })),
        ...(planHas('analytics')
          ? [{ href: findingUrl('unused', query.value), isCurrent: isOther, label: 'Unused' }]
          : []),
      ]}
    />
  );
}

function NoFindings({ website, isNotChecked }: { website: Website; isNotChecked: boolean | undefined }) {
  const environment = ENVIRONMENT_LABEL[environmentIn(query.value)];
  return (
    <Empty
      icon="check"
      title={`No problems in ${environment}`}
      actions={
        <>
          <LinkButton href={`/websites/${website.id}/redirects`}>View redirects</LinkButton>
          {planHas('analytics') && <LinkButton href={findingUrl('unused', query.value)}>Unused redirects</LinkButton>}
          <ChecksLink website={website} />
        </>
      }
    >
      There are no loops, chains, shadowed patterns or duplicates
      {isNotChecked === false && ', and no target that a live check found broken'}.
      {isNotChecked && ' No live check has looked for broken targets yet.'}
    </Empty>
  );
}

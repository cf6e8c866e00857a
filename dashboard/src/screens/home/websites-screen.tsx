import './home.css';
import type { Website, WebsiteFigures } from '../../api/client/wire.ts';
import { createWebsite } from '../../api/websites.ts';
import { counted, number } from '../../format.ts';
import { go } from '../../router.ts';
import { needs, overview } from '../../state/overview.ts';
import { mayCreateWebsites, planHas } from '../../state/session.ts';
import type { HomeNeed } from '../../state/shown-needs.ts';
import { upsertWebsite, websites } from '../../state/websites.ts';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { NewButton, ResourceScreen } from '../../ui/list/resource-list.tsx';
import { ROW, useRows } from '../../ui/list/use-rows.ts';
import { Empty, Loaded } from '../../ui/page/states.tsx';
import { lastDays, SparkLine } from '../../ui/spark-line.tsx';
import type { Hosts } from '../websites/host-lines.ts';
import { HostsField, hostsErrorOf } from '../websites/hosts-field.tsx';
import { LastChange, weekHits } from './figures.tsx';
import { NeedList } from './need-list.tsx';

const NEW = { label: 'New website', name: 'website', dialog: (close: () => void) => <NewWebsite onClose={close} /> };
const START: { name: string; hosts: Hosts } = { name: '', hosts: [] };
const FIELDS: FieldTable<typeof START> = [
  { name: 'name', label: 'Name', required: true, autofocus: true, placeholder: 'Shop' },
  { name: 'hosts', errorOf: hostsErrorOf, control: (props) => <HostsField {...props} /> },
];

/** Home of the account: what its websites need, and a row for each of them. */
export function WebsitesScreen() {
  const list = websites.value ?? [];
  const found = overview.value;
  const creation = mayCreateWebsites.value ? NEW : undefined;
  return (
    <ResourceScreen title="All websites" lead="What they need, and what they did in 7 days." creation={creation}>
      {list.length === 0 ? (
        <Empty icon="websites" title="No websites yet" actions={<NewButton of={creation} />}>
          Add the website whose visitors you want to redirect, with its host. Hosts that end in .localhost work on this
          machine immediately.
        </Empty>
      ) : (
        <>
          {found && (
            <Loaded of={found} lines={4} height={28}>
              {({ items, item_count: count }) => <NeedList items={items} count={count} hasWebsites />}
            </Loaded>
          )}
          <WebsiteList list={list} />
        </>
      )}
    </ResourceScreen>
  );
}

/** The names are there at once; figures and states follow. */
function WebsiteList({ list }: { list: readonly Website[] }) {
  const { websites: figures = [] } = overview.value?.data.value ?? {};
  const attributes = useRows([{ keys: 'Enter', label: 'Open the website' }]);
  const figuresOf = new Map(figures.map((each) => [each.website_id, each]));
  const needsOf = Map.groupBy(needs.value, ({ website_id: id }) => id);
  return (
    <div class="card" {...attributes}>
      <ul class="row-list website-list" aria-label="Websites">
        {list.map((website) => (
          <li key={website.id} {...ROW}>
            <WebsiteRow
              website={website}
              figures={figuresOf.get(String(website.id))}
              needs={needsOf.get(String(website.id)) ?? []}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface RowProps {
  website: Website;
  figures: WebsiteFigures | undefined;
  needs: readonly HomeNeed[];
}

function WebsiteRow({ website: { id, name, hosts }, figures, needs }: RowProps) {
  const [first, ...others] = hosts;
  return (
    <>
      <span class="stack gap-0">
        <a class="strong break" href={`/websites/${id}`} data-key="Enter">
          {name}
        </a>
        <span class="small muted break">
          {first?.hostname ?? 'No host'}
          {others.length > 0 && ` and ${number(others.length)} more`}
        </span>
      </span>
      <span>{needs.length > 0 && <span class="badge warn">{counted(needs.length, 'thing')} to do</span>}</span>
      <span class="small" aria-busy={!figures}>
        {figures && counted(figures.redirects, 'redirect')}
      </span>
      <span class="row gap-2 small">
        {figures && planHas('analytics') && (
          <>
            <SparkLine days={lastDays(figures.hits)} />
            {counted(weekHits(figures), 'hit')}
          </>
        )}
      </span>
      <span class="small muted">{figures && <LastChange {...figures} />}</span>
    </>
  );
}

/** Creates a website with name and hosts; all other settings have defaults. */
function NewWebsite({ onClose }: { onClose: () => void }) {
  return (
    <ResourceDialog
      title="New website"
      verb="Create website"
      start={START}
      fields={FIELDS}
      onSend={async ({ name, hosts }) => {
        const { website } = await createWebsite({ name, hosts });
        upsertWebsite(website);
        // An unverified host serves nothing: the settings have its DNS record. Home has the other first steps.
        const unproven = website.hosts.find(({ verified }) => !verified)?.hostname;
        const screen = unproven === undefined ? '' : `/settings?host=${encodeURIComponent(unproven)}`;
        go(`/websites/${website.id}${screen}`);
      }}
      onClose={onClose}
    />
  );
}

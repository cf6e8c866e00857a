/** The first steps of a website, until its first hit. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Website, WebsiteFigures } from '../../api/client/wire.ts';
import { isLocalHost, recordTypeOf } from '../../dns-record.ts';
import { listHosts } from '../../api/websites.ts';
import { counted } from '../../format.ts';
import { readStored, writeStored } from '../../state/browser.ts';
import { mayEdit } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Loaded } from '../../ui/page/states.tsx';
import { AGENT_KINDS } from '../../../../src/vocabulary/kinds.ts';
import { AgentLines } from '../../ui/agent-lines.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { firstHost } from '../../urls.ts';
import { weekHits } from './figures.tsx';
import { doAnswer, RealAnswers, useRealAnswers } from './real-answers.tsx';

const SKIPPED = 'detour.start-skipped';
/** The websites whose first steps this browser does not show. */
const skipped = signal<readonly string[]>(readStored(SKIPPED)?.split(',') ?? []);

function skip(id: number): void {
  skipped.value = [...skipped.value, String(id)];
  writeStored(SKIPPED, skipped.value.join(','));
}

/** True for editors while the website has no hits in two weeks. */
export const isStarting = ({ id }: Website, figures: WebsiteFigures | undefined): figures is WebsiteFigures =>
  mayEdit.value &&
  figures !== undefined &&
  figures.hits_before + weekHits(figures) === 0 &&
  !skipped.value.includes(String(id));

/** Each step says whether it is done. */
export function StartPath({ website, figures }: { website: Website; figures: WebsiteFigures }) {
  const { id, hosts } = website;
  const base = `/websites/${id}`;
  const isServed = hosts.some(({ verified }) => verified);
  const results = useRealAnswers(website, figures.redirects);
  const answers = <RealAnswers website={website} results={results} />;
  return (
    <section class="card list-card" aria-labelledby="start">
      <header>
        <h2 id="start">First steps</h2>
        <Button size="small" kind="quiet" onClick={() => skip(id)}>
          Skip
        </Button>
      </header>
      <ol class="row-list start-steps">
        <Step title="Name and host" isDone={isServed} done={hosts.map(({ hostname }) => hostname).join(', ')}>
          {hosts.length > 0 && 'The host needs its proof. '}
          <LinkButton size="small" href={`${base}/settings`}>
            {hosts.length === 0 ? 'Add a host' : 'Verify'}
          </LinkButton>
        </Step>
        <Step title="Bring redirects" isDone={figures.redirects > 0} done={counted(figures.redirects, 'redirect')}>
          <LinkButton size="small" href={`${base}/import?first-steps`}>
            File of any tool, or paste
          </LinkButton>
          <LinkButton size="small" href={`${base}/redirects?new=/`}>
            Enter one
          </LinkButton>
        </Step>
        <Step title="See them answer" isDone={doAnswer(results)} done={answers}>
          {answers}
          <LinkButton size="small" href={`${base}/tester?urls=list`}>
            Test a list of URLs
          </LinkButton>
          <LinkButton size="small" href={`${base}/urls?panel=lists`}>
            Fetch a sitemap
          </LinkButton>
        </Step>
        <Step title="Send visitors">
          <WaysToServe website={website} />
        </Step>
        <Step title="First hit">This card disappears with the first visitor who is redirected.</Step>
      </ol>
    </section>
  );
}

interface StepProps {
  title: string;
  isDone?: boolean;
  /** shown when it is done */
  done?: ComponentChildren;
  children: ComponentChildren;
}

function Step({ title, isDone = false, done, children }: StepProps) {
  return (
    <li>
      <span class={isDone ? 'done' : 'muted'}>
        <Icon name={isDone ? 'check' : 'arrow'} />
      </span>
      <strong>
        {title}
        {isDone && <span class="unseen"> (done)</span>}
      </strong>
      <div class="row wrap">{isDone ? <div class="muted break">{done}</div> : children}</div>
    </li>
  );
}

/** The DNS record that sends visitors to this service, in the form of a zone file. */
function recordOf(host: string, isApex: boolean): string {
  const type = recordTypeOf(isApex, location.hostname);
  return `${host}. ${type} ${location.hostname}${type === 'CNAME' || type === 'ALIAS' ? '.' : ''}`;
}

/** A DNS record, the command of an agent, or files: one line to copy for each. */
function WaysToServe({ website }: { website: Website }) {
  const { id } = website;
  const host = firstHost(website, 'production');
  const isApex = useResource(`apex:${id}:${host}`, async (signal) => {
    const { hosts } = host === undefined ? { hosts: [] } : await listHosts(id, { q: host, limit: 100 }, signal);
    return hosts.some(({ hostname, is_apex: is }) => is && hostname === host);
  });
  const isLocal = host !== undefined && isLocalHost(host);
  return (
    <div class="stack gap-3 grow">
      {isLocal ? (
        <p>
          <span class="mono">{host}</span> works on this machine without a DNS record.
        </p>
      ) : isLocalHost(location.hostname) ? (
        <p>
          By DNS: the address of this page is local. Open it at the public address of the service to see the record.
        </p>
      ) : (
        <Loaded of={isApex} lines={2} height={22}>
          {(is) => (
            <CopyField label="By DNS, at the host" isFocused={false} text={recordOf(host ?? 'www.example.com', is)} />
          )}
        </Loaded>
      )}
      <details>
        <summary>Or from your own machine: an agent, or the configuration of its server</summary>
        <AgentLines website={website} environment="production" kinds={AGENT_KINDS} />
      </details>
    </div>
  );
}

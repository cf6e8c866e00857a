import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ENVIRONMENTS, type Environment } from '../../../../src/vocabulary/environment.ts';
import type { MissingPath } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { SelectBox } from '../../ui/list/selection-bar.tsx';
import { PathText } from '../../ui/text/path-text.tsx';
import { ScheduledRedirect } from '../../ui/scheduled-redirect.tsx';
import { isLikely, nearnessText, offered, suggestionTitle } from '../../ui/suggestions.ts';
import { scheduleOf } from '../../ui/text/schedule.ts';
import { Time } from '../../ui/text/time.tsx';
import { redirectUrl, reviewUrl } from '../../urls.ts';
import { addEnvironment, type Existing, type Inbox, removeRow, setIgnored, applySuggestion } from './actions.ts';
import { PathDetail } from './path-detail.tsx';
import { TargetForm } from './target-form.tsx';
import { HIT_COLUMNS } from './view.ts';

/** True if the path can be redirected. A truncated one stands for many. */
export const isOpen = ({ path, redirect, noise }: MissingPath): boolean => !path.endsWith('…') && !redirect && !noise;

export function PathCells(props: { inbox: Inbox; missing: MissingPath; search: string; isIgnored: boolean }) {
  const { inbox, missing, search, isIgnored } = props;
  /** the target with which the form starts; undefined: no form */
  const draft = useSignal<string | undefined>(undefined);
  const isShown = useSignal(false);
  const { path } = missing;
  const isEditing = draft.value !== undefined;
  const canRedirect = isOpen(missing) && !isIgnored;
  const canEdit = mayEdit.value;
  const head = useRef<HTMLDivElement>(null);
  function close(): void {
    draft.value = undefined;
    head.current?.closest('li')?.focus();
  }
  return (
    <>
      <div ref={head} class="missing-row">
        <span class="mono row gap-1 shrink missing-path">
          {canEdit && canRedirect && <SelectBox selection={inbox.selection} rows={[path]} label={path} />}
          <button
            type="button"
            class="mono"
            data-key="o"
            aria-expanded={isShown.value}
            onClick={() => (isShown.value = !isShown.value)}
          >
            <PathText path={path} search={search} />
          </button>
          <CopyButton text={path} name="path" tabIndex={-1} data-key="c" />
        </span>
        <Counts missing={missing} />
        {canEdit && (
          <Actions
            {...{ inbox, missing, isIgnored, isEditing }}
            onRedirect={
              canRedirect
                ? () => (draft.value = isEditing ? undefined : (missing.suggestions[0]?.target ?? ''))
                : undefined
            }
          />
        )}
      </div>
      {missing.redirect && <ExistingLine inbox={inbox} missing={missing} existing={missing.redirect} />}
      {canEdit && canRedirect && !isEditing && (
        <Suggestions inbox={inbox} missing={missing} onEdit={(target) => (draft.value = target)} />
      )}
      {draft.value !== undefined && (
        <TargetForm key={draft.value} inbox={inbox} missing={missing} target={draft.value} onClose={close} />
      )}
      {isShown.value && (
        <PathDetail
          website={inbox.website}
          environment={inbox.environment}
          missing={missing}
          onUse={canEdit && canRedirect ? (target) => (draft.value = target) : undefined}
        />
      )}
    </>
  );
}

function Actions(props: {
  inbox: Inbox;
  missing: MissingPath;
  isIgnored: boolean;
  isEditing: boolean;
  /** opens the form, or closes it; undefined if the path cannot be redirected */
  onRedirect: (() => void) | undefined;
}) {
  const { inbox, missing, isIgnored, isEditing, onRedirect } = props;
  return (
    <div class="actions">
      {onRedirect && (
        <Button
          size="small"
          data-key="Enter"
          aria-expanded={isEditing}
          aria-label={`Redirect ${missing.path}`}
          onClick={onRedirect}
        >
          Redirect
        </Button>
      )}
      <Button
        kind="quiet"
        size="small"
        data-key={isIgnored ? 'Enter' : 'Delete'}
        onClick={() => setIgnored(inbox, missing, !isIgnored)}
      >
        {isIgnored ? 'Stop ignoring' : 'Ignore'}
        <span class="unseen"> {missing.path}</span>
      </Button>
    </div>
  );
}

/** Cells of the columns after the path. Units are visible only without headings. */
function Counts({ missing }: { missing: MissingPath }) {
  const { last_seen_at: last, referrer_host: from } = missing;
  return (
    <>
      {HIT_COLUMNS.map(({ name, unit }) => (
        <span key={name} class="count" data-none={missing[name] === 0}>
          {number(missing[name])}
          <span class="unit"> {unit}</span>
        </span>
      ))}
      <span class="muted">
        <Time at={last} />
      </span>
      <span class="small muted break">
        {from !== null && (
          <>
            <span class="unit">from </span>
            {from}
          </>
        )}
      </span>
    </>
  );
}

/** Says why the redirect of the path does not match, and offers to change it. */
function ExistingLine({ inbox, missing, existing }: { inbox: Inbox; missing: MissingPath; existing: Existing }) {
  const { id, new_path, status_code, target_environments: targets } = existing;
  const names = ENVIRONMENTS.filter((each) => targets.split(',').includes(each));
  const isTargeted = names.includes(inbox.environment);
  if (isTargeted && scheduleOf(existing, Date.now()).phase !== 'active') {
    const of = { ...existing, websiteId: inbox.websiteId, status: status_code, target: new_path };
    let restore = (): void => {};
    return (
      <ScheduledRedirect
        of={of}
        now=""
        onStarted={() => (restore = removeRow(inbox, missing))}
        onUndone={() => restore()}
      />
    );
  }
  return (
    <p class="row wrap">
      <a href={redirectUrl(inbox.websiteId, id)}>A redirect exists</a>
      <span class="muted">{reasonOf(names, isTargeted)}</span>
      {mayEdit.value && isTargeted && (
        <a href={reviewUrl(inbox.websiteId, inbox.environment, { action: 'deploy' })}>
          Deploy<span class="unseen"> the redirect of {missing.path}</span>
        </a>
      )}
      {mayEdit.value && !isTargeted && (
        <Button size="small" data-key="Enter" onClick={() => addEnvironment(inbox, missing, existing)}>
          Add {inbox.environment}
          <span class="unseen"> to the redirect of {missing.path}</span>
        </Button>
      )}
    </p>
  );
}

function reasonOf(names: readonly Environment[], isTargeted: boolean): string {
  if (names.length === 0) return 'as a draft.';
  if (isTargeted) return 'but is not live: it waits for a deployment.';
  return `for ${names.join(' and ')} only.`;
}

interface SuggestionsProps {
  inbox: Inbox;
  missing: MissingPath;
  /** opens the form with a target */
  onEdit: (target: string) => void;
}

/** Pages that the path may have become. A click on a likely one creates the redirect; others open the form. */
function Suggestions({ inbox, missing, onEdit }: SuggestionsProps) {
  const near = offered(missing.suggestions);
  if (near.length === 0) return inbox.hasLateSuggestions ? <div class="suggestions" /> : null;
  return (
    <ul class="row wrap suggestions">
      {near.map((each, at) => {
        const confidence = at === 0 ? missing.confidence : null;
        const isSafe = isLikely(confidence);
        return (
          <li key={each.target}>
            <Button
              size="small"
              icon={isSafe ? 'arrow' : 'edit'}
              data-key={at + 1}
              title={suggestionTitle(each)}
              onClick={() => (isSafe ? applySuggestion(inbox, missing, each.target) : onEdit(each.target))}
            >
              <span class="unseen">
                {isSafe ? 'Redirect' : 'Review redirect of'} {missing.path} to{' '}
              </span>
              <span class="mono">
                <PathText path={each.target} />
              </span>
              <span class="muted">{nearnessText(missing.path, confidence, each)}</span>
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

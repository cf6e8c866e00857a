import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, asApiError } from '../../../api/client/api-error.ts';
import { checkRedirect } from '../../../api/redirects.ts';
import { type AskedUrl, askedUrl } from '../../../asked-url.ts';
import type { Redirect, RedirectCheck, RedirectFields, Website } from '../../../api/client/wire.ts';
import { rebased, type Side } from '../../../ui/list/changed-elsewhere.tsx';
import { fieldChanges } from '../../../ui/form/redirect-fields.ts';
import { useBackOnline } from '../../../state/browser.ts';
import { useAnswer } from '../../../state/resource/use-answer.ts';
import { websites } from '../../../state/websites.ts';
import { type RedirectRows, updateOne } from '../actions.ts';
import {
  areApart,
  changesOf,
  type Draft,
  draftOf,
  fieldsOf,
  foreignTarget,
  type LocalErrors,
  localErrors as localErrorsOf,
} from './draft.ts';
import { fieldErrorsOf } from './field-errors.tsx';
import { environmentsOf } from '../view.ts';

const CHECK_DEBOUNCE_MS = 200;

export type DraftState = ReturnType<typeof useDraft>;

interface DraftContext {
  websiteId: number;
  redirect?: Redirect | undefined;
  /** the path to test a pattern with */
  tryPath?: string;
}

/** State of the form for a redirect: values, validation and preview. */
export function useDraft(start: Draft, context: DraftContext) {
  const draft = useSignal(start);
  const touched = useSignal<ReadonlySet<string>>(new Set());
  /** the response to the last attempt to save */
  const error = useSignal<ApiError | undefined>(undefined);
  /** the own host that was removed from the target */
  const strippedHost = useSignal<string | undefined>(undefined);
  /** wildcards are meant as text */
  const isText = useSignal(false);
  const check = useCheck(draft.value, context);
  /** the stored redirect that the draft started from; undefined: a new one */
  const base = useSignal(context.redirect);
  /** The changes to send, with what was typed until now. */
  const changes = (): ReturnType<typeof changesOf> => (base.value ? changesOf(base.value, draft.value) : {});
  const isChanged = (): boolean =>
    base.value ? Object.keys(changes()).length > 0 : JSON.stringify(draft.value) !== JSON.stringify(start);
  /** Puts the draft on top of a newer state of the redirect. */
  function rebase(current: Redirect, side: Side): void {
    const before = base.value ? draftOf(base.value) : start;
    draft.value = rebased(draft.value, { base: before, current: draftOf(current) }, side);
    base.value = current;
    error.value = undefined;
  }
  const update = updater({ base, changes, isChanged, rebase });
  // The error asks for a connection.
  useBackOnline(() => error.peek()?.status === 0 && (error.value = undefined));
  const stored = context.redirect;
  useEffect(() => {
    // With changes, the save says who else has changed it.
    if (stored && !isChanged()) rebase(stored, 'theirs');
  }, [stored?.updated_at]);
  const website = websites.value?.find(({ id }) => id === context.websiteId);
  const { localErrors, ...places } = localProblems(draft.value, website, context.websiteId);
  return {
    draft: draft.value,
    /** for a field that someone else has changed since, before a save or by its response; undefined for others */
    theirs(name: keyof Draft): string | undefined {
      const refused = error.value?.changed?.redirect;
      const newer = refused ?? (stored && base.value && stored.updated_at > base.value.updated_at ? stored : undefined);
      const [change] = newer && base.value ? fieldChanges(base.value, newer, [name]) : [];
      return change && `${refused ? 'Theirs' : 'Changed elsewhere'}: ${change.after}`;
    },
    base,
    isText,
    isChanged,
    update,
    rebase,
    /** Changes fields, and clears the error of the last save. */
    onChange(changed: Partial<Draft>): void {
      const own = ownTarget(draft.value, changed.new_path, website);
      if (changed.new_path !== undefined) strippedHost.value = own?.hostname;
      const fields = { ...changed, ...ownSource(draft.value, changed, website), ...(own && { new_path: own.path }) };
      draft.value = { ...draft.value, ...fields };
      touched.value = new Set([...touched.value, ...Object.keys(fields)]);
      error.value = undefined;
    },
    /** says that the host of the target was removed */
    sameWebsite: strippedHost.value && `Same website: ${strippedHost.value} is removed.`,
    /** true after the first change */
    isTouched: touched.value.size > 0,
    /** errors that prevent sending */
    localErrors,
    check,
    /** messages to show at the fields */
    fieldErrors: fieldErrorsOf(draft.value, touched.value, { localErrors, ...places, error: error.value, check }),
    error,
  };
}

interface Updated {
  base: Signal<Redirect | undefined>;
  changes: () => Partial<RedirectFields>;
  isChanged: () => boolean;
  rebase: (current: Redirect, side: Side) => void;
}

/** Stores the changes of a stored redirect, beside those of other fields by others. Rejects like `updateOne`. */
function updater({ base, changes, isChanged, rebase }: Updated): (list: RedirectRows) => Promise<void> {
  return async (list) => {
    const before = base.value;
    if (!before || !isChanged()) return;
    const store = async (from: Redirect, done?: string): Promise<void> =>
      rebase({ ...from, ...(await updateOne(list, from, changes(), done)) }, 'theirs');
    try {
      await store(before);
    } catch (thrown) {
      const { by, redirect: newer } = asApiError(thrown).changed ?? {};
      if (!newer || !areApart(before, newer, changes())) throw thrown;
      const names = fieldChanges(before, newer).map(({ label }) => label);
      rebase(newer, 'mine');
      await store(newer, `Saved. ${by ?? 'Someone else'} has changed ${names.join(', ')}: both are kept`);
    }
  };
}

/** Errors that need no request, and what their texts refer to. */
function localProblems(draft: Draft, website: Website | undefined, websiteId: number) {
  const allowed = website?.allowed_target_hosts ?? [];
  const localErrors = { ...localErrorsOf(draft, allowed), ...foreignHostError(draft, website) };
  return { localErrors, websiteId, foreignHost: foreignTarget(draft, allowed) };
}

/** Checks a draft with the service. Undefined after a failure, which does not prevent saving. */
function useCheck(draft: Draft, { websiteId, redirect, tryPath = '' }: DraftContext): RedirectCheck | undefined {
  const fields = fieldsOf(draft);
  const testPath = tryPath.trim();
  const body = {
    ...fields,
    website_id: websiteId,
    ...(redirect && { id: redirect.id }),
    ...(draft.is_regex && testPath !== '' && { try_path: testPath }),
  };
  const isEmpty = fields.old_path === '' && (fields.new_path ?? '') === '';
  const key = isEmpty ? undefined : JSON.stringify(body);
  return useAnswer(key, (signal) => checkRedirect(body, signal), CHECK_DEBOUNCE_MS).answer;
}

/** While a URL is typed, its host may not be complete before the slash. */
const isComplete = (text: string, before: string): boolean =>
  text.length - before.length > 1 || /^[^/]*\/\/[^/]+\//.test(text);

/** The path of a URL that is the source, if its host is one of the website's. */
function ownSource(before: Draft, { old_path: text }: Partial<Draft>, website: Website | undefined): Partial<Draft> {
  if (text === undefined || !website || !isComplete(text, before.old_path)) return {};
  const asked = askedUrl(text.trim(), [website], undefined);
  return asked?.website && !before.is_regex ? { old_path: asked.path } : {};
}

/** The path of a target on a host that the website has in an environment of the redirect. */
function ownTarget(draft: Draft, text: string | undefined, website: Website | undefined): AskedUrl | undefined {
  const asked = website && text !== undefined ? askedUrl(text.trim(), [website], undefined) : undefined;
  const isOwn = website?.hosts.some(
    ({ hostname, environment }) => hostname === asked?.hostname && environmentsOf(draft).includes(environment),
  );
  return isOwn && isComplete(text ?? '', draft.new_path) ? asked : undefined;
}

/** A list of websites has only the first hosts of each. */
function foreignHostError({ old_path: text, is_regex }: Draft, website: Website | undefined): LocalErrors {
  if (!website || is_regex || website.hosts.length < website.host_count) return {};
  const asked = askedUrl(text.trim(), [website], undefined);
  if (asked?.hostname === undefined || asked.website) return {};
  return { old_path: `${asked.hostname} is not a host of ${website.name}. Enter a path of this website.` };
}

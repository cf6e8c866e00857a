import './page.css';
import { useLayoutEffect, useEffect, useRef } from 'preact/hooks';
import type { Redirect, Website } from '../../../api/client/wire.ts';
import { fetchRedirect } from '../../../api/redirects.ts';
import { useKeys } from '../../../state/keys.ts';
import { go } from '../../../router.ts';
import { useOnChange, useResource } from '../../../state/resource/use-resource.ts';
import { IconButton } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Problem, Skeleton } from '../../../ui/page/states.tsx';
import { PathText, WrappedPath } from '../../../ui/text/path-text.tsx';
import { useNow } from '../../../ui/text/schedule.ts';
import { redirectUrl } from '../../../urls.ts';
import { RedirectEditor } from '../edit/redirect-editor.tsx';
import type { GridModel } from '../list/grid-model.ts';
import { closePage, isWide } from '../open-page.ts';
import { Answers } from './answers.tsx';
import { Facts } from './facts.tsx';
import { Missing } from './missing.tsx';
import { summaryText, waits } from './summary-text.ts';
import { Title } from './title.tsx';

/** Interval at which the page shows changes by other users. */
const POLL_MS = 4_000;

interface PageProps {
  model: GridModel;
  website: Website;
  /** the redirect in the URL */
  id: string;
}

/** The redirect as the list has it, then as the service has it. */
function useRedirect({ model: { list }, website, id }: PageProps) {
  const row = list.rows.value.find((each) => String(each.id) === id);
  const { data, error, reload } = useResource(
    `redirect:${id}`,
    async (signal) => {
      const { redirect: found } = await fetchRedirect(Number(id), signal);
      // The URL names another website of the account.
      if (found.website_id !== website.id) go(redirectUrl(found.website_id, id), { replace: true });
      return found;
    },
    { everyMs: POLL_MS },
  );
  useOnChange(row && JSON.stringify(row), reload);
  // For one render after a change of the URL, the data is that of the previous redirect.
  const newest = String(data.value?.id) === id && data.value?.website_id === website.id ? data.value : undefined;
  const redirect: Redirect | undefined = newest ? { ...row, ...newest } : row;
  return { redirect, error: error.value, reload };
}

/**
 * A redirect beside the list, or over it: what answers, the facts about it, the form and the history. Escape closes it,
 * J and K show the next and the previous redirect of the list.
 */
export function RedirectPage(props: PageProps) {
  const { model, website, id } = props;
  const { redirect, error, reload } = useRedirect(props);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = (): void => {
    // The Escape of a menu.
    if (!document.querySelector('.menu:popover-open')) closePage(website.id);
  };
  function onEscape(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    // Otherwise the same key closes the question about unsaved changes.
    event.preventDefault();
    close();
  }
  const previous = (): void => model.step(Number(id), -1);
  const next = (): void => model.step(Number(id), 1);
  useKeys([
    { keys: 'Escape', label: 'Close the redirect', run: close },
    { keys: 'j', label: 'Next redirect', run: next },
    { keys: 'k', label: 'Previous redirect', run: previous },
  ]);
  useLayoutEffect(() => {
    // The list below has the focus otherwise.
    if (!isWide.peek()) heading.current?.focus();
  }, [id]);
  const path = redirect?.old_path;
  useEffect(() => {
    if (path !== undefined) document.title = `${path} · ${website.name} · Detour`;
  }, [path]);
  const isGone = error?.code === 'REDIRECT_NOT_FOUND';
  return (
    <section class="redirect-page" aria-labelledby="redirect" onKeyDown={onEscape}>
      <header>
        <Title path={path} heading={heading} />
        <Buttons path={path} {...{ previous, next, close }} />
      </header>
      {redirect ? (
        <RedirectEditor
          key={id}
          list={model.list}
          website={website}
          redirect={redirect}
          isDeleted={isGone}
          onSaved={reload}
          onClose={close}
          before={(form) => (
            <>
              <Summary redirect={redirect} />
              <Answers redirect={redirect} {...form} />
              <Facts redirect={redirect} state={form.state} />
            </>
          )}
        />
      ) : (
        <div class="dialog-body">
          {isGone && <Missing website={website} id={id} />}
          {!isGone && (error ? <Problem error={error} onRetry={reload} /> : <Skeleton lines={9} />)}
        </div>
      )}
    </section>
  );
}

interface ButtonsProps {
  path: string | undefined;
  previous: () => void;
  next: () => void;
  close: () => void;
}

function Buttons({ path, previous, next, close }: ButtonsProps) {
  return (
    <div class="row gap-0">
      {path !== undefined && <CopyButton text={path} name="source of this redirect" />}
      <IconButton label="Previous redirect (K)" icon="up" onClick={previous} />
      <IconButton label="Next redirect (J)" icon="down" onClick={next} />
      <IconButton label="Close" icon="close" onClick={close} />
    </div>
  );
}

/** Longer paths are cut in the middle: the header, the form and the tooltip have all of them. */
const MAX_IN_SENTENCE = 120;

const SentencePath = ({ path }: { path: string }) =>
  path.length > MAX_IN_SENTENCE ? <PathText path={path} /> : <WrappedPath path={path} />;

/**
 * The stored redirect in one sentence: `/old redirects to /new, permanently (301).` Says if it waits for a deployment.
 */
function Summary({ redirect }: { redirect: Redirect }) {
  const { old_path: source, new_path: target } = redirect;
  const now = useNow([redirect]);
  const { start, middle, end } = summaryText(redirect, now, waits(redirect, now));
  return (
    <p class="redirect-summary break">
      {start}
      <strong class="mono">
        <SentencePath path={source} />
      </strong>
      {middle}
      {target !== null && (
        <strong class="mono">
          <SentencePath path={target} />
        </strong>
      )}
      {end}
    </p>
  );
}

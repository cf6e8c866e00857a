import { useSignal } from '@preact/signals';
import type { ApiKey, Website } from '../api/client/wire.ts';
import { createKey } from '../api/keys.ts';
import { useSubmit } from '../state/resource/use-submit.ts';
import { mayAs } from '../state/session.ts';
import { Button } from './button.tsx';
import { CopyField } from './copy-field.tsx';
import { Problem } from './page/states.tsx';

/**
 * Lines to copy to another machine, and the key that they need: for this website, without an end, because what runs there
 * would stop with it. `onKey` runs after the key was created.
 */
export function KeyedLines({
  website,
  keyName,
  scope,
  need,
  lines,
  onKey,
}: {
  website: Website;
  /** the name of the website follows it */
  keyName: string;
  scope: ApiKey['scope'];
  /** who needs the key */
  need: string;
  lines: (key: string | undefined) => { label: string; text: string }[];
  onKey?: (() => void) | undefined;
}) {
  const key = useSignal<string | undefined>(undefined);
  const { error, isBusy, submit } = useSubmit(async () => {
    const name = `${keyName} ${[...website.name].slice(0, MAX_NAME).join('')}`;
    const created = await createKey({ name, scope, expires_at: null, website_ids: [website.id] });
    key.value = created.api_key.key;
    onKey?.();
  });
  return (
    <div class="stack gap-3">
      {key.value === undefined ? (
        <p class="muted small">
          {need} needs an <a href="/account/keys">API key</a> with {scope} access.
        </p>
      ) : (
        <p class="small" role="status">
          The new key {scope === 'read' ? 'reads' : 'may change'} this website and does not expire. It is shown only
          once: copy the text before you leave.
        </p>
      )}
      {key.value === undefined && mayAs('owner') && (
        <form class="row" onSubmit={submit}>
          <Button type="submit" icon="key" isBusy={isBusy.value}>
            Create a key
          </Button>
        </form>
      )}
      {error.value && <Problem error={error.value} />}
      {lines(key.value).map(({ label, text }) => (
        <CopyField
          key={label}
          label={label}
          rows={Math.min(text.split('\n').length + 1, MAX_ROWS)}
          isFocused={false}
          text={text}
        />
      ))}
    </div>
  );
}
const MAX_ROWS = 8;
/** The name of a key has at most 200 characters, as that of a website. */
const MAX_NAME = 150;

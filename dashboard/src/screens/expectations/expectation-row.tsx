import type { Expectation, Website } from '../../api/wire.ts';
import { mayEdit } from '../../state/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { EnvironmentBadge } from '../../ui/environment.tsx';
import { expectedText, targetOf } from '../../ui/failure-list.tsx';
import { TextWithPath, WrappedPath } from '../../ui/path-text.tsx';
import { ROW } from '../../ui/use-rows.ts';

export function ExpectationRow({
  website,
  expectation,
  onEdit,
  onDelete,
}: {
  website: Website;
  expectation: Expectation;
  onEdit: () => void;
  onDelete: () => void;
}) {
  const { url, environment } = expectation;
  const test = new URLSearchParams({ url, environment });
  return (
    <li {...ROW}>
      <a class="mono break" href={`/websites/${website.id}/tester?${test.toString()}`} data-key="t">
        <WrappedPath path={url} />
      </a>
      <span class="break">
        <TextWithPath text={expectedText(expectation)} path={targetOf(expectation)} />
      </span>
      <span>
        <EnvironmentBadge environment={environment} />
      </span>
      {mayEdit.value && (
        <span class="actions">
          <Button size="small" data-key="Enter" aria-label={`Edit: ${url}`} onClick={onEdit}>
            Edit
          </Button>
          <IconButton size="small" icon="trash" data-key="Delete" label={`Delete: ${url}`} onClick={onDelete} />
        </span>
      )}
    </li>
  );
}

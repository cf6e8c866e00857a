import { filteredExportUrl, previewDelete } from '../../../api/redirects.ts';
import { counted, number } from '../../../format.ts';
import { useResource } from '../../../state/resource/use-resource.ts';
import { planHas } from '../../../state/session.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { Loaded } from '../../../ui/page/states.tsx';
import { partsOf } from '../list/filter-parts.ts';
import type { GridModel } from '../list/grid-model.ts';

/** The filters of the list, the environments and hits of what is deleted, and a download of the list. */
export function DeletionFacts({ model: { selection, view } }: { model: GridModel }) {
  const filters = partsOf(view.filter).map(({ name }) => name);
  const found = useResource('deletion', (signal) => previewDelete(selection.toBulk(view.filter), signal));
  return (
    <>
      <Loaded of={found} lines={2} height={22}>
        {({ deleted, effect: { environments, hits } }) => (
          <ul>
            {filters.length > 0 && <li>Filters: {filters.join(', ')}</li>}
            {selection.count() !== deleted && <li>{number(deleted)} now</li>}
            <li>Environments: {environments.join(', ') || 'none'}</li>
            {view.hasHits && <li>{counted(hits, 'hit')} in 30 days</li>}
          </ul>
        )}
      </Loaded>
      {planHas('apiAccess') && (
        <p>
          <LinkButton size="small" icon="import" download href={filteredExportUrl('csv', view.filter)}>
            Download the list first
          </LinkButton>
        </p>
      )}
    </>
  );
}

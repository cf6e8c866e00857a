import type { Change } from '../../api/client/wire.ts';
import type { FieldChange } from '../form/redirect-fields.ts';

/** Changed fields, one per line. An empty `before` is omitted. */
export function FieldChanges({ changes }: { changes: FieldChange[] }) {
  if (changes.length === 0) return null;
  return (
    <ul class="small field-changes">
      {changes.map(({ label, before, after }) => (
        <li key={label} class="break">
          <span class="muted">{label}:</span> {before !== '' && <del>{before}</del>} <ins>{after}</ins>
        </li>
      ))}
    </ul>
  );
}

/** `system`: the name of an actor without one. */
export function ActorName({
  actor: { type, name },
  system = 'Detour',
}: {
  actor: Pick<Change['actor'], 'type' | 'name'>;
  system?: string;
}) {
  return (
    <>
      {type === 'system' ? system : name}
      {type === 'key' && (
        <>
          {' '}
          <span class="badge">API key</span>
        </>
      )}
    </>
  );
}

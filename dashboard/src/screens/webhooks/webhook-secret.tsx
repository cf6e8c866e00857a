import { OneTimeSecret } from '../../ui/one-time-secret.tsx';

/** The secret of a new webhook, or a rotated one. */
export function WebhookSecret({
  title,
  secret,
  more,
  onDone,
}: {
  title: string;
  secret: string;
  more: string;
  onDone: () => void;
}) {
  return (
    <OneTimeSecret title={title} label="Secret" text={secret} onDone={onDone}>
      <p>
        Configure the receiver with it, to verify the signatures. It is shown only once and stored encrypted. {more}
      </p>
    </OneTimeSecret>
  );
}
